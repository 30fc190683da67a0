import { platformNames } from '@herald/contracts/platform'
import { providerOf } from '@herald/contracts/app'
import { remedyOf } from '@herald/contracts/remedies'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import type { Checked } from '../../api/check-provider.ts'
import { providerNames } from '../../core/platform-names.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { useRefusals } from '../../ui/content/useRefusals.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextArea, TextInput } from '../../ui/TextInput.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { nameOfDevice, type Device } from './answers.ts'
import { sendTest, type TestResult } from './send-test.ts'

/** A dialog that sends a push to one device and shows its outcome. */
export function TestSendDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const appId = useAppId()
  const [title, setTitle] = useState('A test')
  const [body, setBody] = useState('This push goes to one device only.')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [sent, setSent] = useState<{ id: string; result: TestResult | undefined; isOver: boolean }>()
  const refusal = useRefusals(appId, busy ? [device.platform] : []).get(device.platform)
  const stop = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    stop.current = controller
    return () => controller.abort()
  }, [])

  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    setSent(undefined)
    const { signal } = stop.current
    try {
      const content = { _default: 'en', en: { title, body } }
      const { id, results, isOver } = await sendTest(appId, { subscriptionId: device.id, content }, signal)
      setSent({ id, isOver, result: results.find(({ subscriptionId }) => subscriptionId === device.id) })
    } catch (fault) {
      if (!signal.aborted) setError(fault)
    }
    if (!signal.aborted) setBusy(false)
  }

  return (
    <Dialog open onClose={onClose} title={`Test send to ${nameOfDevice(device)}`}>
      <form onSubmit={(event) => void send(event)} className="flex flex-col gap-4">
        {error !== undefined && <ErrorNote error={error} />}
        <Field label="Title">
          {(control) => <TextInput {...control} value={title} onChange={(event) => setTitle(event.target.value)} />}
        </Field>
        <Field label="Text">
          {(control) => <TextArea {...control} rows={2} value={body} onChange={(event) => setBody(event.target.value)} />}
        </Field>
        <p className="text-sm text-muted">A test ignores the frequency cap and quiet hours, and is not counted in statistics over time.</p>
        <div aria-live="polite">
          {sent !== undefined && <Outcome sent={sent} device={device} />}
          {refusal !== undefined && <Held refusal={refusal} device={device} />}
        </div>
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={busy}>
            {busy ? 'Sending' : 'Send the test'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Says why the push waits: its provider takes no push of this app now. */
function Held({ refusal: { code, providerCode, remedy }, device }: { refusal: Checked; device: Device }) {
  return (
    <div className="flex flex-col gap-1">
      <p>
        <Status kind="warning">On hold</Status> {providerNames[device.platform]} accepts no pushes of this app now:{' '}
        <code className="font-mono text-xs">{[code, providerCode].filter(Boolean).join(' · ')}</code>
      </p>
      {remedy !== null && <p>{remedy}</p>}
    </div>
  )
}

function Outcome({
  sent: { id, result, isOver },
  device,
}: {
  sent: { id: string; result: TestResult | undefined; isOver: boolean }
  device: Device
}) {
  const appId = useAppId()
  const explain = (
    <TextLink to="/apps/$appId/explain" params={{ appId }} search={{ campaignId: id, subscriptionId: device.id }}>
      Why?
    </TextLink>
  )
  if (result === undefined || !isOver)
    return (
      <p>
        <Status kind="busy">Sending</Status> No result yet. {explain}
      </p>
    )
  const provider = providerNames[device.platform]
  if (result.outcome === 'sent')
    return (
      <p>
        <Status kind="good">Sent</Status> Accepted by {provider}
        {result.providerCode ? ` (${result.providerCode})` : ''}. {explain}
      </p>
    )
  const { code, providerCode } = result
  const remedy =
    code === null || result.outcome !== 'failed'
      ? null
      : remedyOf(providerOf[device.platform], code as Parameters<typeof remedyOf>[1], providerCode)
  return (
    <div className="flex flex-col gap-1">
      <p>
        <Status kind={result.outcome === 'failed' ? 'bad' : 'warning'}>
          {result.outcome === 'not_queued' ? 'Not sent' : result.outcome === 'failed' ? 'Failed' : 'Skipped'}
        </Status>{' '}
        {platformNames[device.platform]}: <code className="font-mono text-xs">{[code, providerCode].filter(Boolean).join(' · ')}</code>{' '}
        {explain}
      </p>
      {remedy !== null && <p>{remedy}</p>}
    </div>
  )
}
