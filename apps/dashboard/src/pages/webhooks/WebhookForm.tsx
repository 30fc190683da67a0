import { useEffect, useState, type FormEvent } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { eventTypes, eventWords, type EventChoice, noteOfWebhookUrl, problemOfWebhookUrl } from '../../core/webhook-form.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { NewSecret } from '../../ui/Secret.tsx'

type Webhook = components['schemas']['Webhook']
type Detail = { path: string; message: string }

/** The URL is checked this long after the last key. */
const settledMs = 400

const scopes = [
  { value: 'all', label: 'All events', hint: 'Also those that are added later' },
  { value: 'some', label: 'Only some', hint: 'What you choose below' },
] as const

/** Makes or changes an endpoint: its URL, its event types and its description. */
export function WebhookForm({
  webhook,
  onMade,
  onChanged,
}: {
  webhook?: Webhook
  onMade?: (made: { id: string; secret: string }) => void
  onChanged?: () => void
}) {
  const appId = useAppId()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [scope, setScope] = useState<'all' | 'some'>(webhook === undefined || webhook.eventTypes.includes('*') ? 'all' : 'some')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(webhook?.eventTypes.filter((type) => type !== '*') ?? []))
  const [problem, setProblem] = useState<string>()
  const [details, setDetails] = useState<Detail[]>([])
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    const timer = setTimeout(() => setProblem(problemOfWebhookUrl(url)), settledMs)
    return () => clearTimeout(timer)
  }, [url])

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const wrong = url.trim() === '' ? 'is required' : problemOfWebhookUrl(url)
    setProblem(wrong)
    const none: Detail[] = scope === 'some' && chosen.size === 0 ? [{ path: 'Events', message: 'must name at least one' }] : []
    setDetails(none)
    if (wrong !== undefined || none.length > 0) return
    setBusy(true)
    try {
      const types: EventChoice[] = scope === 'all' ? ['*'] : eventTypes.filter((type) => chosen.has(type))
      const body = { url: url.trim(), description: description.trim() === '' ? null : description.trim(), eventTypes: types }
      if (webhook === undefined)
        onMade?.(dataOf(await client.POST('/v1/admin/apps/{appId}/webhooks', { params: { path: { appId } }, body })))
      else {
        await client.PATCH('/v1/admin/apps/{appId}/webhooks/{id}', { params: { path: { appId, id: webhook.id } }, body })
        announce('The endpoint is changed')
        onChanged?.()
      }
    } catch (error) {
      const fault = faultOf(error)
      setProblem(fault.details.find(({ path }) => path === 'url')?.message)
      const rest = fault.details.filter(({ path }) => path !== 'url')
      setDetails(fault.details.length === 0 ? [{ path: '', message: fault.message }] : rest)
      setBusy(false)
    }
  }
  const note = problem === undefined ? noteOfWebhookUrl(url) : undefined
  const toggle = (type: string): void =>
    setChosen((before) => (before.has(type) ? new Set([...before].filter((one) => one !== type)) : new Set([...before, type])))

  return (
    <form onSubmit={(event) => void save(event)} noValidate className="flex flex-col gap-4">
      <FormErrors details={details} />
      <Field label="URL" hint={note ?? 'An https address on the public internet, without credentials.'} error={problem}>
        {(control) => (
          <TextInput
            {...control}
            type="url"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            placeholder="https://example.com/herald"
            spellCheck={false}
            autoFocus
          />
        )}
      </Field>
      <Field label="What it is for" hint="For colleagues; Herald does not use it.">
        {(control) => (
          <TextInput {...control} value={description} onChange={(event) => setDescription(event.target.value)} maxLength={500} />
        )}
      </Field>
      <Choice legend="Events" value={scope} onChange={setScope} options={scopes} />
      {scope === 'some' && (
        <fieldset className="grid gap-1">
          <legend className="sr-only">Which events</legend>
          {eventTypes.map((type) => (
            <Checkbox
              key={type}
              label={<code className="font-mono text-xs">{type}</code>}
              hint={eventWords[type]}
              checked={chosen.has(type)}
              onChange={() => toggle(type)}
            />
          ))}
        </fieldset>
      )}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={busy}>
          {webhook === undefined ? 'Create endpoint' : 'Save'}
        </Button>
      </div>
    </form>
  )
}

/** Shows the secret of an endpoint once, after the secret was made. */
export const EndpointSecret = (props: { title: string; secret: string; onClose: () => void }) => (
  <NewSecret {...props}>
    With this secret your receiver verifies that a delivery comes from Herald. It is shown this once: keep it where your backend keeps its
    secrets.
  </NewSecret>
)
