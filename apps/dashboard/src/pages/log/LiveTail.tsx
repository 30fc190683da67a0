import { platformNames } from '@herald/contracts/platform'
import { useReducer } from 'react'
import { countText } from '../../core/number.ts'
import { some } from '../../core/spans.ts'
import { emptyTail, nextTail, type TailEvent, type TailFilter } from '../../core/tail.ts'
import { useStream } from '../../live/useStream.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { LiveSummary } from '../../ui/LiveSummary.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'

type Props = { appId: string; filter: TailFilter }

/**
 * Shows events as they happen, as a webhook endpoint would get them. Herald sends the page at most 100 events per second, and the list keeps the
 * newest 200 events. The operator can pause the list.
 */
export function LiveTail({ appId, filter }: Props) {
  const [tail, step] = useReducer(nextTail, emptyTail)
  const stream = useStream(`/v1/admin/apps/${appId}/events`, {
    event: (data) => step({ do: 'take', event: data as TailEvent, filter }),
    dropped: (data) => step({ do: 'drop', count: (data as { dropped: number }).dropped }),
  })
  const count = tail.shown.length + tail.held.length
  return (
    <Card
      title="Live"
      actions={
        <>
          <Button small variant="secondary" onClick={() => step({ do: tail.isPaused ? 'resume' : 'pause' })}>
            {tail.isPaused ? `Resume${tail.held.length > 0 ? ` (${countText(tail.held.length)} waiting)` : ''}` : 'Pause'}
          </Button>
          <Button small variant="quiet" disabled={count === 0 && tail.dropped === 0} onClick={() => step({ do: 'clear' })}>
            Clear
          </Button>
        </>
      }
    >
      <p className="text-muted mb-2 flex flex-wrap gap-x-3">
        <Status kind={tail.isPaused ? 'warning' : stream.state === 'live' ? 'good' : 'busy'}>{stateOf(stream.state, tail.isPaused)}</Status>
        {stream.state === 'polling' && <span>Too many live viewers; reconnecting when possible.</span>}
        {tail.dropped > 0 && (
          <span>{some(tail.dropped, 'event was', 'events were')} left out here because there were too many; the log below has all.</span>
        )}
      </p>
      <LiveSummary text={`${some(count, 'event', 'events')} in the live tail`} />
      {tail.shown.length === 0 ? (
        <p className="text-muted">No new events{Object.keys(filter).length > 0 ? ' that match the filters' : ''}.</p>
      ) : (
        <div className="max-h-96 overflow-auto">
          <Events appId={appId} events={tail.shown} />
        </div>
      )}
    </Card>
  )
}

function stateOf(state: string, isPaused: boolean): string {
  if (isPaused) return 'Paused'
  if (state === 'live') return 'Following'
  return state === 'polling' ? 'Waiting' : 'Connecting'
}

const Events = ({ appId, events }: { appId: string; events: readonly TailEvent[] }) => (
  <Table<TailEvent>
    caption="Events as they happen, the newest first"
    rows={[...events]}
    rowKey={({ id }) => id}
    columns={[
      { key: 'when', label: 'When', cell: ({ ts }) => <Time at={ts} precise /> },
      { key: 'type', label: 'Event', cell: ({ type }) => <code className="font-mono text-xs">{type}</code> },
      { key: 'code', label: 'Code', cell: ({ data }) => data?.code ?? data?.reason ?? '–' },
      {
        key: 'platform',
        label: 'Platform',
        cell: ({ platform }) => (platform ? platformNames[platform as keyof typeof platformNames] : '–'),
      },
      { key: 'who', label: 'External id', cell: ({ externalId }) => externalId ?? '–' },
      {
        key: 'why',
        label: 'Device',
        cell: ({ campaignId, subscriptionId }) =>
          campaignId && subscriptionId ? (
            <TextLink to="/apps/$appId/explain" params={{ appId }} search={{ campaignId, subscriptionId }}>
              …{subscriptionId.slice(-6)}, why
            </TextLink>
          ) : campaignId ? (
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId }}>
              the campaign
            </TextLink>
          ) : (
            '–'
          ),
      },
    ]}
  />
)
