import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextArea } from '../../ui/TextInput.tsx'

/**
 * A dialog that finds the user of a device by the device's token or endpoint. The page sends the token or endpoint in the body of a request, because
 * browsers, proxies and logs store the URLs of requests.
 */
export function FindByAddress({ onClose }: { onClose: () => void }) {
  const appId = useAppId()
  const navigate = useNavigate()
  const [address, setAddress] = useState('')
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)

  const find = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const wanted = address.trim()
    setError(undefined)
    if (wanted === '') return setProblem('Paste a token or an endpoint.')
    setProblem(undefined)
    setBusy(true)
    try {
      const body = wanted.startsWith('https://') ? { endpoint: wanted } : { token: wanted }
      const { user } = dataOf(await client.POST('/v1/admin/apps/{appId}/users/search', { params: { path: { appId } }, body }))
      await navigate({ to: '/apps/$appId/people/$userId', params: { appId, userId: user.id } })
    } catch (fault) {
      setBusy(false)
      if (faultOf(fault).status === 404) setProblem('No device of this app has this token or endpoint.')
      else setError(fault)
    }
  }

  return (
    <Dialog open onClose={onClose} title="Find by token or endpoint">
      <form onSubmit={(event) => void find(event)} className="flex flex-col gap-4">
        {error !== undefined && <ErrorNote error={error} />}
        <Field label="Token or endpoint" hint="Paste the complete token or endpoint. It never appears in a URL." error={problem}>
          {(control) => (
            <TextArea
              {...control}
              rows={4}
              value={address}
              onChange={(event) => setAddress(event.target.value)}
              spellCheck={false}
              className="font-mono text-xs"
              autoFocus
            />
          )}
        </Field>
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={busy}>
            Find
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
