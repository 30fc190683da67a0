import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { allScopes, type Scope } from '../../core/scopes.ts'
import { applyFault } from '../../ui/applyFault.ts'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { NewSecret } from '../../ui/Secret.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { ScopeChoice } from './ScopeChoice.tsx'

type NewKeyProps = { appId: string; open: boolean; onClose: () => void; onMade: () => void }
type MadeApiKey = components['schemas']['MadeApiKey']
type Texts = { name: string }

/** A dialog that makes a key and shows it once. */
export function NewKey({ open, onClose, ...rest }: NewKeyProps) {
  // The dialog is made anew each time it opens, so that no key of an earlier time is in memory.
  return open ? <NewKeyDialog onClose={onClose} {...rest} /> : null
}

function NewKeyDialog({ appId, onClose, onMade }: Omit<NewKeyProps, 'open'>) {
  const { register, handleSubmit, setError, formState } = useForm<Texts>({ defaultValues: { name: '' } })
  const [kind, setKind] = useState<'secret' | 'public'>('secret')
  const [scopes, setScopes] = useState<Scope[]>(allScopes)
  const [made, setMade] = useState<MadeApiKey>()
  const [fault, setFault] = useState<unknown>()
  const [others, setOthers] = useState<{ path: string; message: string }[]>([])

  const submit = handleSubmit(async ({ name }) => {
    setFault(undefined)
    setOthers([])
    if (kind === 'secret' && scopes.length === 0) {
      setOthers([{ path: 'scopes', message: 'choose at least one' }])
      return
    }
    try {
      const body = { kind, name, ...(kind === 'secret' && { scopes }) }
      const { data } = await client.POST('/v1/admin/apps/{appId}/keys', { params: { path: { appId } }, body })
      setMade(data)
      onMade()
    } catch (error) {
      if (faultOf(error).status === 422) setOthers(applyFault(setError, error, ['name']))
      else setFault(error)
    }
  })

  if (made !== undefined) {
    return (
      <NewSecret title={`The key “${made.name}”`} secret={made.key} onClose={onClose}>
        {made.kind === 'secret'
          ? 'Copy it to where your backend keeps its secrets. It is shown this once: Herald keeps a hash of it.'
          : 'Put it into your app or page. It is shown whole this once; it may be public.'}
      </NewSecret>
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New key"
      wide
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={formState.isSubmitting} onClick={() => void submit()}>
            Make the key
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
        <FormErrors details={others} />
        {fault !== undefined && <ErrorNote error={fault} />}
        <Field
          label="Name"
          required
          error={formState.errors.name?.message}
          hint="What uses it, such as “shop backend”: you will want to know when you revoke it"
        >
          {(control) => (
            <TextInput {...control} {...register('name', { required: 'Give the key a name.' })} maxLength={100} autoComplete="off" />
          )}
        </Field>
        <Choice
          legend="Kind"
          value={kind}
          onChange={(next) => setKind(next === 'public' ? 'public' : 'secret')}
          options={[
            { value: 'secret', label: 'Secret', hint: 'For your backend. Never put it into an app or a page.' },
            { value: 'public', label: 'Public', hint: 'For apps and pages. It registers devices and reads nothing.' },
          ]}
        />
        <ScopeChoice kind={kind} scopes={scopes} onChange={setScopes} />
      </form>
    </Dialog>
  )
}
