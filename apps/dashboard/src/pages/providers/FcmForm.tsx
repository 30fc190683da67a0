import { useState, type FormEvent } from 'react'
import { checkWithinMs } from '../../api/check-provider.ts'
import { client, sendWithin } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { readServiceAccount, type ServiceAccountFile } from '../../core/provider-file.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Banner } from '../../ui/Banner.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { FileDrop } from './FileDrop.tsx'
import { SaveButton, useSaveAndCheck } from './SaveAndCheck.tsx'

type Body = components['schemas']['SetFcmBody']
type Before = components['schemas']['SetFcmAnswer']

/** The form for the service account of a Firebase project. The file of the account contains everything that is needed. */
export function FcmForm({ before, onDone }: { before: Before | undefined; onDone: () => void }) {
  const appId = useAppId()
  const form = useSaveAndCheck(appId, 'fcm', { replaces: before !== undefined, onDone })
  const [file, setFile] = useState<ServiceAccountFile>()
  const [problem, setProblem] = useState<string>()
  const [details, setDetails] = useState<{ path: string; message: string }[]>([])

  const take = async (text: string): Promise<void> => {
    const read = await readServiceAccount(text)
    setProblem(read.ok ? undefined : read.problem)
    setFile(read.ok ? read.found : undefined)
    setDetails([])
  }
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (file === undefined) return setProblem(problem ?? 'Drop the file of the service account first.')
    // The file was checked when it was chosen; Herald checks each field again.
    const serviceAccount = file.serviceAccount as Body['serviceAccount']
    try {
      await form.save((query) =>
        client.PUT('/v1/admin/apps/{appId}/providers/fcm', {
          params: { path: { appId }, query },
          body: { serviceAccount },
          fetch: sendWithin(checkWithinMs),
        }),
      )
    } catch (error) {
      const fault = faultOf(error)
      setDetails(fault.details.length > 0 ? fault.details : [{ path: '', message: fault.message }])
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <FormErrors details={details} />
      <FileDrop
        label="Drop the service account’s JSON here, or choose it"
        accept=".json,application/json"
        hint="Firebase console, Project settings, Service accounts, “Generate new private key”. It is stored encrypted and cannot be viewed again."
        onText={(_name, text) => void take(text)}
      />
      {problem !== undefined && <Banner kind="bad">{problem}</Banner>}
      {file !== undefined && (
        <FactList
          items={[
            { label: 'Project', value: file.projectId },
            { label: 'Service account', value: file.clientEmail },
          ]}
        />
      )}
      {file !== undefined && before !== undefined && before.projectId !== file.projectId && (
        <Banner kind="warning">
          This is another project than the present one, {before.projectId}. Registration tokens belong to a project: devices that registered
          for the old one cannot be reached with this account.
        </Banner>
      )}
      <SaveButton kind="fcm" form={form} onClose={onDone} />
    </form>
  )
}
