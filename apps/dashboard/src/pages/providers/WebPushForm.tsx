import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { checkWithinMs } from '../../api/check-provider.ts'
import { api, client, sendWithin } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { makeVapidPair, subjectOf, warningOfNewKeys, warningOfSubject } from '../../core/provider-warnings.ts'
import { useAppId } from '../../session/useAppId.ts'
import { applyFault } from '../../ui/applyFault.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { SaveButton, useSaveAndCheck } from './SaveAndCheck.tsx'

type Before = components['schemas']['SetWebPushAnswer']
type Values = { subject: string; publicKey: string; privateKey: string }
type Keys = 'keep' | 'make' | 'own'

/** The form for the subject and the key pair of Web Push. A new key pair must be confirmed, because every browser must subscribe again. */
export function WebPushForm({ before, onDone }: { before: Before | undefined; onDone: () => void }) {
  const appId = useAppId()
  const form = useSaveAndCheck(appId, 'webpush', { replaces: before !== undefined, onDone })
  const overview = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/overview',
    { params: { path: { appId } } },
    { enabled: before !== undefined, staleTime: 60_000 },
  )
  const [keys, setKeys] = useState<Keys>(before === undefined ? 'make' : 'keep')
  const [isSure, setSure] = useState(false)
  const [left, setLeft] = useState<{ path: string; message: string }[]>([])
  const { register, handleSubmit, setError, watch, formState } = useForm<Values>({
    defaultValues: { subject: before?.subject ?? '', publicKey: '', privateKey: '' },
  })
  const warning = warningOfSubject(subjectOf(watch('subject')))
  const cutsOff = before !== undefined && keys !== 'keep' && watch('publicKey').trim() !== before.publicKey

  const submit = async (values: Values): Promise<void> => {
    setLeft([])
    if (cutsOff && !isSure) return setLeft([{ path: 'Keys', message: 'must be confirmed: a new pair cuts off every browser' }])
    try {
      const subject = subjectOf(values.subject)
      // When the request has no keys, Herald keeps the app's pair or makes the first one.
      const pair =
        keys === 'own'
          ? { publicKey: values.publicKey.trim(), privateKey: values.privateKey.trim() }
          : keys === 'make' && before !== undefined
            ? await makeVapidPair()
            : {}
      await form.save((query) =>
        client.PUT('/v1/admin/apps/{appId}/providers/webpush', {
          params: { path: { appId }, query },
          body: { subject, ...pair },
          fetch: sendWithin(checkWithinMs),
        }),
      )
    } catch (error) {
      setLeft(applyFault(setError, error, ['subject', 'publicKey', 'privateKey']))
    }
  }
  const options = [
    ...(before === undefined ? [] : [{ value: 'keep' as const, label: 'Keep the current pair', hint: 'Only the subject changes' }]),
    {
      value: 'make' as const,
      label: before === undefined ? 'Create a pair' : 'Create a new pair',
      hint: before === undefined ? 'Recommended' : 'Every browser must subscribe again',
    },
    { value: 'own' as const, label: 'Use a pair that I have', hint: 'To migrate existing web push subscribers' },
  ]
  const { errors } = formState
  return (
    <form onSubmit={(event) => void handleSubmit(submit)(event)} className="flex flex-col gap-4">
      <FormErrors details={left} />
      <Field
        label="Subject"
        hint="Where a push service reaches you when something is wrong: a mail address, or an https address."
        error={errors.subject?.message}
      >
        {(control) => <TextInput {...control} {...register('subject', { required: 'is required' })} placeholder="ops@example.com" />}
      </Field>
      {warning !== undefined && <Banner kind="warning">{warning}</Banner>}
      <Choice legend="Keys" value={keys} onChange={setKeys} options={options} />
      {keys === 'own' && (
        <>
          <Field label="Public key" hint="base64url, 65 bytes" error={errors.publicKey?.message}>
            {(control) => <TextInput {...control} {...register('publicKey')} spellCheck={false} className="font-mono text-xs" />}
          </Field>
          <Field
            label="Private key"
            hint="base64url, 32 bytes. It is stored encrypted and cannot be viewed again."
            error={errors.privateKey?.message}
          >
            {(control) => (
              <TextInput {...control} {...register('privateKey')} type="password" autoComplete="off" className="font-mono text-xs" />
            )}
          </Field>
        </>
      )}
      {cutsOff && (
        <>
          <Banner kind="warning">{warningOfNewKeys(overview.data?.devices.web.reachable)}</Banner>
          <Checkbox
            label="I know that every browser must subscribe again"
            checked={isSure}
            onChange={(event) => setSure(event.target.checked)}
          />
        </>
      )}
      <SaveButton kind="webpush" form={form} onClose={onDone} />
    </form>
  )
}
