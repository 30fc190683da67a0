import { platformNames } from '@herald/contracts/platform'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { components } from '../../api/schema.gen.ts'
import { statusWords } from '../../core/campaign-result.ts'
import { withLocalTimes } from '../../core/time.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Card } from '../../ui/Card.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { TraceView, VerdictStatus } from './TraceView.tsx'

type Explained = components['schemas']['ExplainSendAnswer']

/** Shows the campaign and the user, and the trace of one device. For a user with several devices a list to choose from comes first. */
export function ExplainedDevices({
  explained,
  campaignName,
  lookedAt,
}: {
  explained: Explained
  campaignName: string | null
  lookedAt: number
}) {
  const search = useSearch({ from: '/apps/$appId/explain' })
  const navigate = useNavigate({ from: '/apps/$appId/explain' })
  const { devices, user } = explained
  const shown = devices.find(({ subscriptionId }) => subscriptionId === search.device) ?? devices[0]
  return (
    <div className="flex flex-col gap-5">
      <Whom explained={explained} campaignName={campaignName} />
      {devices.length > 1 && (
        <Table
          caption="Devices of the user"
          rows={devices}
          rowKey={({ subscriptionId }) => subscriptionId}
          onOpen={({ subscriptionId }) => void navigate({ search: { ...search, device: subscriptionId }, replace: true })}
          columns={[
            { key: 'verdict', label: 'Outcome', cell: (trace) => <VerdictStatus verdict={trace.verdict} /> },
            { key: 'platform', label: 'Platform', cell: ({ platform }) => (platform === null ? '–' : platformNames[platform]) },
            { key: 'sentence', label: 'Why', cell: ({ sentence }) => withLocalTimes(sentence) },
            {
              key: 'device',
              label: 'Device',
              cell: ({ subscriptionId }) => (
                <span className="flex items-center gap-2">
                  <CopyText text={subscriptionId} label="device id" />
                  {shown?.subscriptionId === subscriptionId && <span className="text-sm text-muted">shown below</span>}
                </span>
              ),
            },
          ]}
        />
      )}
      {shown === undefined ? (
        <Empty title="This user has no device">This user had no registered device when the campaign was sent.</Empty>
      ) : (
        <TraceView
          key={shown.subscriptionId}
          trace={shown}
          of={{ campaignId: explained.campaignId, campaign: campaignName, externalId: user?.externalId ?? null }}
          lookedAt={lookedAt}
        />
      )}
    </div>
  )
}

function Whom({ explained, campaignName }: { explained: Explained; campaignName: string | null }) {
  const appId = useAppId()
  const { campaignId, user, status, startedAt, fannedOutAt } = explained
  return (
    <Card>
      <FactList
        items={[
          {
            label: 'Campaign',
            value: (
              <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId }}>
                {campaignName === null || campaignName === '' ? campaignId : campaignName}
              </TextLink>
            ),
          },
          { label: 'Status', value: statusWords[status] },
          { label: 'Started', value: startedAt === null ? 'not yet' : <Time at={startedAt} precise /> },
          { label: 'Recipients selected', value: fannedOutAt === null ? 'not yet' : <Time at={fannedOutAt} precise /> },
          {
            label: 'User',
            value:
              user === null ? (
                'No user is linked to this device.'
              ) : (
                <TextLink to="/apps/$appId/people/$userId" params={{ appId, userId: user.id }}>
                  {user.externalId ?? `${user.id} (anonymous)`}
                </TextLink>
              ),
          },
        ]}
      />
    </Card>
  )
}
