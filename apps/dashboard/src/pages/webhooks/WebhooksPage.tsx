import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { May } from '../../session/May.tsx'
import { useAppId } from '../../session/useAppId.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Button } from '../../ui/Button.tsx'
import { Count } from '../../ui/Count.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { Table } from '../../ui/Table.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Time } from '../../ui/Time.tsx'
import { EventTail } from './EventTail.tsx'
import { WebhookForm, EndpointSecret } from './WebhookForm.tsx'
import { WebhookStatus } from './WebhookStatus.tsx'

const tabs = [
  { value: 'endpoints', label: 'Endpoints' },
  { value: 'events', label: 'Events as they happen' },
] as const

/** Shows the webhook endpoints of an app, or its events as they happen. */
export function WebhooksPage() {
  const { tab } = useSearch({ from: '/apps/$appId/webhooks' })
  const navigate = useNavigate({ from: '/apps/$appId/webhooks' })
  return (
    <Page title="Webhooks" lead="Get signed webhooks for what happens to your pushes." guide="webhooks">
      <Tabs
        label="What is shown"
        value={tab ?? 'endpoints'}
        items={tabs}
        onChange={(value) => void navigate({ search: value === 'events' ? { tab: 'events' } : {} })}
      />
      {tab === 'events' ? <EventTail /> : <Endpoints />}
    </Page>
  )
}

function Endpoints() {
  const appId = useAppId()
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const pages = usePages(['webhooks', appId], async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/apps/{appId}/webhooks', {
        params: { path: { appId }, query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      }),
    ),
  )
  useShortcut('c', () => setMaking(true), 'New endpoint')
  // An endpoint receives events that name people, so both scopes are needed.
  const make = (
    <May needed="people">
      <Button needed="settings" variant="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(true)}>
        New endpoint
      </Button>
    </May>
  )
  return (
    <div className="flex flex-col gap-4">
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0}
        empty={
          <Empty title="No endpoint yet" action={make}>
            Your backend hears of sent, failed, opened and clicked pushes within about a second. “Events as they happen” shows what would be
            sent, before any endpoint exists.
          </Empty>
        }
      >
        {() => (
          <div className="flex flex-col gap-3">
            <div className="flex justify-end">{make}</div>
            <Table
              caption="Endpoints"
              rows={pages.items}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/apps/${appId}/webhooks/${id}`}
              columns={[
                {
                  key: 'url',
                  label: 'URL',
                  cell: ({ url, description }) => (
                    <>
                      <span className="font-medium break-all">{url}</span>
                      {description !== null && description !== '' && <span className="block text-sm text-muted">{description}</span>}
                    </>
                  ),
                },
                { key: 'state', label: 'State', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
                { key: 'events', label: 'Events', cell: ({ eventTypes }) => (eventTypes.includes('*') ? 'all' : eventTypes.join(', ')) },
                {
                  key: 'last',
                  label: 'Last answer',
                  cell: ({ lastStatus, lastError, lastDeliveryAt }) =>
                    lastDeliveryAt === null ? (
                      '–'
                    ) : (
                      <>
                        {lastStatus ?? lastError ?? 'none'} <Time at={lastDeliveryAt} />
                      </>
                    ),
                },
                { key: 'waiting', label: 'Waiting', align: 'right', cell: ({ waitingEvents }) => <Count value={waitingEvents} /> },
              ]}
            />
            <LoadMore pages={pages} />
          </div>
        )}
      </Loaded>
      <Dialog open={isMaking} onClose={() => setMaking(false)} title="New endpoint">
        <WebhookForm
          onMade={(webhook) => {
            setMaking(false)
            setMade(webhook)
            void pages.query.refetch()
          }}
        />
      </Dialog>
      {made !== undefined && (
        <EndpointSecret
          title="Endpoint created"
          secret={made.secret}
          onClose={() => {
            setMade(undefined)
            void navigate({ to: '/apps/$appId/webhooks/$webhookId', params: { appId, webhookId: made.id } })
          }}
        />
      )}
    </div>
  )
}
