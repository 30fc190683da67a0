import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { keepEvents, type SeenEvent } from '../../core/event-tail.ts'
import { eventTypes } from '../../core/webhook-form.ts'
import { clockTime } from '../../core/time.ts'
import { useStream } from '../../live/useStream.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Json } from '../../ui/Code.tsx'
import { Select } from '../../ui/Select.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Time } from '../../ui/Time.tsx'

const states = {
  live: { kind: 'good', word: 'Live' },
  reconnecting: { kind: 'warning', word: 'Reconnecting' },
  polling: { kind: 'warning', word: 'Live stream unavailable' },
  closed: { kind: 'off', word: 'Closed' },
} as const

/** Shows events as they happen, as a webhook endpoint would get them, even when the app has no endpoint. The events are in memory only. */
export function EventTail() {
  const appId = useAppId()
  const [isPaused, setPaused] = useState(false)
  const [type, setType] = useState('')
  const [seen, setSeen] = useState<{ events: SeenEvent[]; dropped: number }>({ events: [], dropped: 0 })
  const [open, setOpen] = useState<SeenEvent>()
  const stream = useStream(isPaused ? undefined : `/v1/admin/apps/${appId}/events`, {
    watching: () => undefined,
    event: (data) => setSeen((before) => ({ ...before, events: keepEvents(before.events, data) })),
    dropped: (data) => setSeen((before) => ({ ...before, dropped: before.dropped + droppedOf(data) })),
  })
  const { state, asOf } = stream
  const shown = type === '' ? seen.events : seen.events.filter((event) => event.type === type)
  const { kind, word } = isPaused ? ({ kind: 'off', word: 'Paused' } as const) : states[state]
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Select
          aria-label="Type of event"
          value={type}
          onChange={(event) => setType(event.target.value)}
          className="w-56!"
          options={[{ value: '', label: 'All types' }, ...eventTypes.map((one) => ({ value: one, label: one }))]}
        />
        <Button onClick={() => setSeen({ events: [], dropped: 0 })}>Clear</Button>
        <span role="status" className="flex items-center gap-2 text-sm text-muted">
          <Status kind={kind}>{word}</Status>
          {state === 'reconnecting' && asOf !== undefined && <>as of {clockTime(asOf)}</>}
          {seen.dropped > 0 && <>{seen.dropped} left out: more than 100 came in a second</>}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="Waiting for something to happen">
          Send something, or tap a push. Each event appears here at once, as an endpoint would get it. What happened before this page was
          opened is not shown.
        </Empty>
      ) : (
        <Table
          caption="Events"
          rows={shown}
          rowKey={({ id }) => id}
          onOpen={setOpen}
          columns={[
            { key: 'at', label: 'When', cell: ({ ts }) => <Time at={ts} precise /> },
            { key: 'type', label: 'Type', cell: (event) => <code className="font-mono text-xs">{event.type}</code> },
            {
              key: 'who',
              label: 'Recipient',
              cell: ({ externalId, userId }) => externalId ?? <span className="font-mono text-xs">{userId ?? '–'}</span>,
            },
            { key: 'platform', label: 'Platform', cell: ({ platform }) => platform ?? '–' },
            {
              key: 'data',
              label: 'Data',
              cell: ({ data }) => (
                <code className="font-mono text-xs break-all">{data === undefined ? '–' : JSON.stringify(data).slice(0, 120)}</code>
              ),
            },
          ]}
        />
      )}
      {open !== undefined && (
        <Dialog open onClose={() => setOpen(undefined)} title={open.type} wide footer={<ExplainEvent event={open} />}>
          <Json value={open} />
        </Dialog>
      )}
    </div>
  )
}

function ExplainEvent({ event: { campaignId, subscriptionId } }: { event: SeenEvent }) {
  const appId = useAppId()
  if (campaignId === undefined || subscriptionId === undefined) return null
  return (
    <ButtonLink to="/apps/$appId/explain" params={{ appId }} search={{ campaignId, subscriptionId }}>
      Check delivery
    </ButtonLink>
  )
}

const droppedOf = (data: unknown): number =>
  typeof data === 'object' && data !== null && 'dropped' in data ? Number(data.dropped) || 0 : 0
