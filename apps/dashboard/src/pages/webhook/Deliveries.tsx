import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { usePages } from '../../api/usePages.ts'
import { answerOf, failedHours } from '../../core/deliveries.ts'
import { localTime } from '../../core/time.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Count } from '../../ui/Count.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Section } from '../../ui/Section.tsx'
import { Select } from '../../ui/Select.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { DeliveryDialog, DeliveryStatus } from './DeliveryDialog.tsx'
import { replayFailed } from './replay-failed.ts'

type Webhook = components['schemas']['Webhook']

const from = '/apps/$appId/webhooks/$webhookId'
const states = [
  { value: '', label: 'All deliveries' },
  { value: 'failed', label: 'Failed' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'erased', label: 'Erased' },
] as const

/**
 * Shows the deliveries of an endpoint, newest first and filtered by state. A click opens a delivery. Failed deliveries that were made in the same
 * hour can be sent again together.
 */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const appId = useAppId()
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const { state, deliveryId } = search
  const pages = usePages(['deliveries', appId, webhook.id, state ?? ''], async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/apps/{appId}/webhooks/{id}/deliveries', {
        params: {
          path: { appId, id: webhook.id },
          query: { limit: 50, ...(state === undefined ? {} : { state }), ...(cursor === undefined ? {} : { cursor }) },
        },
        signal,
      }),
    ),
  )
  const choose = (value: string): void => {
    const chosen = states.find((one) => one.value === value)?.value
    void navigate({ search: chosen === undefined || chosen === '' ? {} : { state: chosen }, replace: true })
  }
  const close = (): void => void navigate({ search: state === undefined ? {} : { state } })
  const again = (): void => void pages.query.refetch()

  return (
    <Section
      title="Deliveries"
      actions={
        <>
          <Button small variant="quiet" onClick={again}>
            Refresh
          </Button>
          <Select
            aria-label="Which deliveries"
            value={state ?? ''}
            options={states}
            onChange={(event) => choose(event.target.value)}
            className="w-40!"
          />
        </>
      }
    >
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0}
        empty={
          <Empty title={state === undefined ? 'No delivery yet' : `No delivery is ${state}`}>
            A delivery holds the events of up to one second. Send something, or ping the endpoint to see that it answers.
          </Empty>
        }
      >
        {() => (
          <div className="flex flex-col gap-3">
            <ReplayHours webhookId={webhook.id} deliveries={pages.items} onDone={again} />
            <Table
              caption="Deliveries"
              rows={pages.items}
              rowKey={({ id }) => id}
              onOpen={({ id }) => void navigate({ search: { ...search, deliveryId: id } })}
              columns={[
                { key: 'made', label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} precise /> },
                { key: 'state', label: 'State', cell: (delivery) => <DeliveryStatus state={delivery.state} /> },
                { key: 'events', label: 'Events', align: 'right', cell: ({ eventCount }) => <Count value={eventCount} /> },
                { key: 'attempts', label: 'Attempts', align: 'right', cell: ({ attempts }) => <Count value={attempts.length} /> },
                {
                  key: 'answer',
                  label: 'Last answer',
                  cell: ({ attempts, nextAttemptAt }) => {
                    const last = attempts.at(-1)
                    return (
                      <>
                        {last === undefined ? 'not sent yet' : answerOf(last)}
                        {nextAttemptAt !== null && (
                          <span className="block text-sm text-muted">
                            again <Time at={nextAttemptAt} precise />
                          </span>
                        )}
                      </>
                    )
                  },
                },
                { key: 'id', label: 'Id', cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
              ]}
            />
            <LoadMore pages={pages} />
          </div>
        )}
      </Loaded>
      {deliveryId !== undefined && <DeliveryDialog webhook={webhook} deliveryId={deliveryId} onClose={close} onReplayed={again} />}
    </Section>
  )
}

type Delivery = components['schemas']['WebhookDelivery']

/** At most this many hours have a button that sends their failed deliveries again. Deliveries of other hours can be sent again one by one. */
const mostHours = 3

function ReplayHours({ webhookId, deliveries, onDone }: { webhookId: string; deliveries: readonly Delivery[]; onDone: () => void }) {
  const appId = useAppId()
  const [asked, setAsked] = useState<{ from: string; to: string }>()
  const hours = failedHours(deliveries).slice(0, mostHours)
  if (hours.length === 0) return null
  const replay = async (): Promise<void> => {
    if (asked === undefined) return
    const { sent, refused } = await replayFailed({ appId, webhookId, ...asked })
    announce(refused === 0 ? `${sent} are sent again` : `${sent} are sent again, ${refused} could not be`, refused === 0 ? 'good' : 'bad')
    onDone()
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-muted">Resend failed deliveries of the hour from</span>
      {hours.map((hour) => (
        <Button needed="settings" key={hour.from} small onClick={() => setAsked(hour)}>
          {localTime(hour.from)}
        </Button>
      ))}
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title="Send the failed deliveries of this hour again?"
        action="Send again"
        onConfirm={replay}
      >
        Each goes out with the same id and the same bytes, so a receiver that keeps the ids it has seen takes none twice. At most 1,000 are
        sent at once. Those whose body is no longer kept are left out.
      </Confirm>
    </div>
  )
}
