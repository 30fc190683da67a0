import { useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { May } from '../../session/May.tsx'
import { useAppId } from '../../session/useAppId.ts'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Card } from '../../ui/Card.tsx'
import { Count } from '../../ui/Count.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { Time } from '../../ui/Time.tsx'
import { WebhookStatus } from '../webhooks/WebhookStatus.tsx'
import { Deliveries } from './Deliveries.tsx'
import { LastDeliveries } from './LastDeliveries.tsx'
import { WebhookActions } from './WebhookActions.tsx'
import { WhyOff } from './WhyOff.tsx'

type Webhook = components['schemas']['Webhook']

/** Shows one endpoint: its settings and counters, why it is off, and its deliveries. */
export function WebhookPage() {
  const appId = useAppId()
  const { webhookId } = useParams({ from: '/apps/$appId/webhooks/$webhookId' })
  const webhook = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/webhooks/{id}',
    { params: { path: { appId, id: webhookId } } },
    { refetchInterval: 5_000 },
  )
  const isGone = webhook.isError && faultOf(webhook.error).status === 404
  const changed = (): void => void webhook.refetch()
  return (
    <Page
      title={webhook.data === undefined ? 'Webhook' : nameOf(webhook.data)}
      guide="webhooks"
      actions={
        webhook.data !== undefined &&
        !isGone && (
          <May needed="settings">
            <WebhookActions webhook={webhook.data} onChanged={changed} />
          </May>
        )
      }
    >
      {isGone ? (
        <Empty
          title="There is no such endpoint"
          action={
            <ButtonLink to="/apps/$appId/webhooks" params={{ appId }}>
              All endpoints
            </ButtonLink>
          }
        >
          It may have been deleted, or belongs to another app.
        </Empty>
      ) : (
        <Loaded query={webhook} atOnce>
          {(data) => (
            <div className="flex flex-col gap-5">
              {!data.enabled && <WhyOff webhook={data} onChanged={changed} />}
              <Facts webhook={data} />
              <LastDeliveries webhookId={data.id} />
              <Deliveries webhook={data} />
            </div>
          )}
        </Loaded>
      )}
    </Page>
  )
}

const nameOf = ({ url, description }: Webhook): string => (description === null || description === '' ? new URL(url).host : description)

function Facts({ webhook }: { webhook: Webhook }) {
  const {
    url,
    eventTypes,
    secretHint,
    waitingEvents,
    droppedEvents,
    storedBytes,
    consecutiveFailures,
    lastDeliveryAt,
    lastStatus,
    lastError,
    createdAt,
  } = webhook
  return (
    <Card>
      <FactList
        items={[
          { label: 'URL', value: <span className="font-mono text-xs break-all">{url}</span> },
          { label: 'State', value: <WebhookStatus webhook={webhook} /> },
          {
            label: 'Events',
            value: eventTypes.includes('*') ? (
              'all, also those that are added later'
            ) : (
              <span className="flex flex-wrap gap-1">
                {eventTypes.map((type) => (
                  <Tag key={type}>{type}</Tag>
                ))}
              </span>
            ),
          },
          {
            label: 'Last answer',
            value:
              lastDeliveryAt === null ? (
                'none yet'
              ) : (
                <>
                  {lastStatus ?? lastError ?? 'none'} <Time at={lastDeliveryAt} precise />
                </>
              ),
          },
          ...(consecutiveFailures > 0
            ? [{ label: 'Consecutive failures', value: `${consecutiveFailures} of 50, then it is switched off` }]
            : []),
          { label: 'Waiting events', value: <Count value={waitingEvents} /> },
          ...(droppedEvents > 0
            ? [
                {
                  label: 'Dropped events',
                  value: (
                    <>
                      <Count value={droppedEvents} />: too many waited, so the oldest went
                    </>
                  ),
                },
              ]
            : []),
          { label: 'Kept bodies', value: `${Math.ceil(storedBytes / 1000).toLocaleString('en')} kB` },
          {
            label: 'Secret',
            value: (
              <>
                ends in <code className="font-mono text-xs">{secretHint}</code>
              </>
            ),
          },
          { label: 'Created', value: <Time at={createdAt} /> },
        ]}
      />
    </Card>
  )
}
