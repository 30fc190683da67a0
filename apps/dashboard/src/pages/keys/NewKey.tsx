import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { allScopes, type AdminScope, type Scope } from '../../core/scopes.ts'
import { applyFault } from '../../ui/applyFault.ts'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { NewSecret } from '../../ui/Secret.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { AdminScopeChoice, ScopeChoice } from './ScopeChoice.tsx'

/** `admin`: a key with which a person or a tool administers the app. */
export type Kind = 'secret' | 'public' | 'admin'
type NewKeyProps = { appId: string; kind: Kind; onClose: () => void; onMade: () => void }
type Made = Pick<components['schemas']['MadeApiKey'], 'name' | 'key'>
type Texts = { name: string }

const afterMaking: Record<Kind, string> = {
  secret: 'Copy it to where your backend keeps its secrets. It is shown this once: Herald keeps a hash of it.',
  public: 'Put it into your app or page. It is shown whole this once; it may be public.',
  admin: 'Give it to the person, or to the tool’s secret store. It is shown this once: Herald keeps a hash of it.',
}

/** A dialog that makes a key, at first of this kind, and shows it once. */
export function NewKey({ kind, ...rest }: Omit<NewKeyProps, 'kind'> & { kind: Kind | undefined }) {
  // The dialog is made anew each time it opens, so that no key of an earlier time is in memory.
  return kind === undefined ? null : <NewKeyDialog kind={kind} {...rest} />
}

function NewKeyDialog({ appId, kind: firstKind, onClose, onMade }: NewKeyProps) {
  const { register, handleSubmit, setError, formState } = useForm<Texts>({ defaultValues: { name: '' } })
  const [kind, setKind] = useState(firstKind)
  const [scopes, setScopes] = useState<Scope[]>(allScopes)
  const [adminScopes, setAdminScopes] = useState<AdminScope[]>(['read'])
  const [made, setMade] = useState<Made>()
  const [fault, setFault] = useState<unknown>()
  const [others, setOthers] = useState<{ path: string; message: string }[]>([])

  const submit = handleSubmit(async ({ name }) => {
    setFault(undefined)
    setOthers([])
    if ((kind === 'secret' && scopes.length === 0) || (kind === 'admin' && adminScopes.length === 0)) {
      setOthers([{ path: 'scopes', message: 'choose at least one' }])
      return
    }
    try {
      const params = { path: { appId } }
      setMade(
        kind === 'admin'
          ? dataOf(await client.POST('/v1/admin/apps/{appId}/admin-keys', { params, body: { name, scopes: adminScopes } }))
          : dataOf(
              await client.POST('/v1/admin/apps/{appId}/keys', { params, body: { kind, name, ...(kind === 'secret' && { scopes }) } }),
            ),
      )
      onMade()
    } catch (error) {
      if (faultOf(error).status === 422) setOthers(applyFault(setError, error, ['name']))
      else setFault(error)
    }
  })

  if (made !== undefined) {
    return (
      <NewSecret title={`The key “${made.name}”`} secret={made.key} onClose={onClose}>
        {afterMaking[kind]}
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
            Create key
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
          onChange={setKind}
          options={[
            { value: 'secret', label: 'Secret', hint: 'For your backend. Never put it into an app or a page.' },
            { value: 'public', label: 'Public', hint: 'For apps and pages. It registers devices and reads nothing.' },
            { value: 'admin', label: 'Person or tool', hint: 'A colleague signs in with it here; the command line and CI work with it.' },
          ]}
        />
        {kind === 'admin' ? (
          <AdminScopeChoice scopes={adminScopes} onChange={setAdminScopes} />
        ) : (
          <ScopeChoice kind={kind} scopes={scopes} onChange={setScopes} />
        )}
      </form>
    </Dialog>
  )
}
