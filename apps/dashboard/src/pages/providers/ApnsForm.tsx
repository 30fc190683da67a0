import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { checkWithinMs } from '../../api/check-provider.ts'
import { client, sendWithin } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { readApnsKey, type ApnsKeyFile } from '../../core/provider-file.ts'
import { warningOfSandbox } from '../../core/provider-warnings.ts'
import { useAppId } from '../../session/useAppId.ts'
import { applyFault } from '../../ui/applyFault.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { FileDrop } from './FileDrop.tsx'
import { SaveButton, useSaveAndCheck } from './SaveAndCheck.tsx'

type Body = components['schemas']['SetApnsBody']
type Values = Omit<Body, 'privateKey'>
type Before = components['schemas']['SetApnsAnswer']

const environments = [
  { value: 'production', label: 'Production', hint: 'App Store and TestFlight' },
  { value: 'sandbox', label: 'Sandbox', hint: 'Builds from Xcode only' },
] as const

/** The form for the key of APNs. The operator chooses its file; the key id comes from the file's name when it is there. */
export function ApnsForm({ before, onDone }: { before: Before | undefined; onDone: () => void }) {
  const appId = useAppId()
  const form = useSaveAndCheck(appId, 'apns', { replaces: before !== undefined, onDone })
  const [file, setFile] = useState<{ name: string; key: ApnsKeyFile }>()
  const [problem, setProblem] = useState<string>()
  const [left, setLeft] = useState<{ path: string; message: string }[]>([])
  const { register, handleSubmit, setError, setValue, watch, formState } = useForm<Values>({
    defaultValues: {
      teamId: before?.teamId ?? '',
      keyId: before?.keyId ?? '',
      bundleId: before?.bundleId ?? '',
      environment: before?.environment ?? 'production',
    },
  })
  const environment = watch('environment')

  const take = async (name: string, text: string): Promise<void> => {
    const read = await readApnsKey(name, text)
    setProblem(read.ok ? undefined : read.problem)
    setFile(read.ok ? { name: name === '' ? 'pasted key' : name, key: read.found } : undefined)
    if (read.ok && read.found.keyId !== null) setValue('keyId', read.found.keyId, { shouldValidate: true })
  }
  const submit = async (values: Values): Promise<void> => {
    if (file === undefined)
      return setProblem(
        problem ?? 'Drop the .p8 file first. Herald does not show a stored key again, so a change of the other fields needs it too.',
      )
    setLeft([])
    const trimmed = {
      teamId: values.teamId.trim(),
      keyId: values.keyId.trim(),
      bundleId: values.bundleId.trim(),
      environment: values.environment,
    }
    try {
      await form.save((query) =>
        client.PUT('/v1/admin/apps/{appId}/providers/apns', {
          params: { path: { appId }, query },
          body: { ...trimmed, privateKey: file.key.privateKey },
          fetch: sendWithin(checkWithinMs),
        }),
      )
    } catch (error) {
      setLeft(applyFault(setError, error, ['teamId', 'keyId', 'bundleId', 'environment']))
    }
  }
  const { errors } = formState
  const required = 'is required'
  return (
    <form onSubmit={(event) => void handleSubmit(submit)(event)} className="flex flex-col gap-4">
      <FormErrors details={left} />
      <FileDrop
        label="Drop AuthKey_….p8 here, or choose it"
        accept=".p8,.pem,.txt"
        hint="It can also be pasted. It is stored encrypted and cannot be viewed again."
        onText={(name, text) => void take(name, text)}
      />
      {problem !== undefined && <Banner kind="bad">{problem}</Banner>}
      {file !== undefined && (
        <p>
          <Status kind="good">Key read</Status> {file.name}
          {file.key.keyId === null && <span className="text-muted">. Its name holds no key id: fill it in.</span>}
        </p>
      )}
      <div className="grid grid-cols-2 gap-3 max-[480px]:grid-cols-1">
        <Field label="Key id" hint="10 characters" error={errors.keyId?.message}>
          {(control) => (
            <TextInput {...control} {...register('keyId', { required })} maxLength={10} spellCheck={false} className="font-mono" />
          )}
        </Field>
        <Field label="Team id" hint="Apple’s developer account, Membership" error={errors.teamId?.message}>
          {(control) => (
            <TextInput {...control} {...register('teamId', { required })} maxLength={10} spellCheck={false} className="font-mono" />
          )}
        </Field>
      </div>
      <Field label="Bundle id" hint="Such as com.example.app" error={errors.bundleId?.message}>
        {(control) => <TextInput {...control} {...register('bundleId', { required })} spellCheck={false} className="font-mono" />}
      </Field>
      <Choice legend="Environment" value={environment} onChange={(value) => setValue('environment', value)} options={environments} />
      {environment === 'sandbox' && <Banner kind="warning">{warningOfSandbox}</Banner>}
      <SaveButton kind="apns" form={form} onClose={onDone} />
    </form>
  )
}
