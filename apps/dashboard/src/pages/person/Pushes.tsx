import { useNavigate } from '@tanstack/react-router'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { useCampaignNames } from '../log/useCampaignNames.ts'
import { searchText } from '../../core/search-text.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Section } from '../../ui/Section.tsx'
import { Select } from '../../ui/Select.tsx'
import { Status, type StatusKind } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { nameOfDevice, type Person, type Push } from './answers.ts'

/** Shows the pushes to the user: the newest 50 to all devices, or all stored pushes to one device. */
export function Pushes({ person, device }: { person: Person; device: string | undefined }) {
  const navigate = useNavigate({ from: '/apps/$appId/people/$userId' })
  const options = [
    { value: '', label: 'All devices, newest 50' },
    ...person.subscriptions.map((one) => ({ value: one.id, label: `${nameOfDevice(one)}, ${one.id.slice(-6)}` })),
  ]
  const choose = (value: string): void => void navigate({ search: value === '' ? {} : { device: value }, replace: true })
  return (
    <Section
      title="Pushes"
      actions={
        <Select
          aria-label="Of which device"
          value={device ?? ''}
          options={options}
          onChange={(event) => choose(event.target.value)}
          className="w-64!"
        />
      }
    >
      {device === undefined ? (
        <PushTable pushes={person.pushes} person={person} />
      ) : (
        <OfDevice key={device} device={device} person={person} />
      )}
    </Section>
  )
}

function OfDevice({ device, person }: { device: string; person: Person }) {
  const appId = useAppId()
  const pages = usePages(['pushes', appId, device], async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/apps/{appId}/pushes', {
        params: { path: { appId }, query: { subscriptionId: device, limit: 50, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      }),
    ),
  )
  return (
    <Loaded query={pages.query}>
      {() => (
        <div className="flex flex-col gap-3">
          <PushTable pushes={pages.items} person={person} />
          <LoadMore pages={pages} />
        </div>
      )}
    </Loaded>
  )
}

const kinds: Readonly<Record<Push['outcome'], { kind: StatusKind; word: string }>> = {
  sent: { kind: 'good', word: 'Sent' },
  failed: { kind: 'bad', word: 'Failed' },
  skipped: { kind: 'warning', word: 'Skipped' },
  open: { kind: 'busy', word: 'Waiting' },
}

function PushTable({ pushes, person }: { pushes: readonly Push[]; person: Person }) {
  const appId = useAppId()
  const campaignNameOf = useCampaignNames(
    appId,
    pushes.map(({ campaignId }) => campaignId),
  )
  const names = new Map(person.subscriptions.map((one) => [one.id, nameOfDevice(one)]))
  if (pushes.length === 0)
    return <Empty title="No push yet">Pushes sent to this person are listed here for 90 days, with their outcome.</Empty>
  return (
    <Table
      caption="Pushes"
      rows={pushes}
      rowKey={(push) => `${push.campaignId} ${push.subscriptionId}`}
      rowHref={({ campaignId, subscriptionId }) => `/apps/${appId}/explain${searchText({ campaignId, subscriptionId })}`}
      columns={[
        { key: 'explain', label: 'Why?', cell: () => <span className="text-accent">Check delivery</span> },
        { key: 'outcome', label: 'Outcome', cell: ({ outcome }) => <Status kind={kinds[outcome].kind}>{kinds[outcome].word}</Status> },
        {
          key: 'code',
          label: 'Code',
          cell: ({ code, providerCode, state }) => (
            <span className="font-mono text-xs">
              {[code ?? (state === 'held' ? 'on hold' : state), providerCode].filter(Boolean).join(' · ') || '–'}
            </span>
          ),
        },
        {
          key: 'campaign',
          label: 'Campaign',
          cell: ({ campaignId }) => (
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId }}>
              {campaignNameOf(campaignId)}
            </TextLink>
          ),
        },
        { key: 'device', label: 'Device', cell: ({ subscriptionId }) => names.get(subscriptionId) ?? 'removed device' },
        {
          key: 'reports',
          label: 'Engagement',
          cell: ({ engagements }) => engagements.join(', ') || <span className="text-muted">nothing</span>,
        },
        { key: 'at', label: 'When', cell: ({ settledAt }) => <Time at={settledAt} /> },
      ]}
    />
  )
}
