import { platformNames } from '@herald/contracts/platform'
import { remedyFor } from '@herald/contracts/code-meanings'
import type { components } from '../../api/schema.gen.ts'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'

type Push = components['schemas']['ListPushesAnswer']['items'][number]
type Props = { appId: string; pushes: readonly Push[]; isOfOneCampaign: boolean; nameOf: (campaignId: string) => string }

/** The icon and the colour of each outcome. */
const outcomeKinds = { sent: 'good', failed: 'bad', skipped: 'off', open: 'busy' } as const

/** The words for the state of a push that has no outcome yet. */
const stateWords = { waiting: 'waiting', sending: 'sending', held: 'on hold', retry: 'retrying' } as const

const keyOf = ({ campaignId, subscriptionId }: Push): string => `${campaignId}-${subscriptionId}`

/**
 * Removes pushes that are listed twice: an earlier page lists a push without its outcome, a later page with it. The row with the outcome is shown, at
 * the place of the first row.
 */
const onceEach = (pushes: readonly Push[]): Push[] => [...new Map(pushes.map((push) => [keyOf(push), push])).values()]

/** Shows pushes with their outcomes. A row links to the explanation of its push. */
export function PushTable({ appId, pushes, isOfOneCampaign, nameOf }: Props) {
  return (
    <Table<Push>
      caption="Pushes, those without an outcome first, then the newest"
      rows={onceEach(pushes)}
      rowKey={keyOf}
      rowHref={({ campaignId, subscriptionId }) => `/apps/${appId}/explain?campaignId=${campaignId}&subscriptionId=${subscriptionId}`}
      columns={[
        { key: 'person', label: 'Person', cell: ({ externalId }) => <PersonName externalId={externalId} /> },
        {
          key: 'when',
          label: 'When',
          cell: ({ settledAt, nextTryAt }) =>
            settledAt !== null ? (
              <Time at={settledAt} precise />
            ) : nextTryAt ? (
              <>
                next try <Time at={nextTryAt} precise />
              </>
            ) : (
              'not yet'
            ),
        },
        {
          key: 'outcome',
          label: 'Outcome',
          cell: ({ outcome, state }) => (
            <Status kind={outcomeKinds[outcome]}>{outcome === 'open' ? stateWords[state ?? 'waiting'] : outcome}</Status>
          ),
        },
        { key: 'code', label: 'Code', cell: (push) => <Code push={push} /> },
        {
          key: 'device',
          label: 'Device',
          cell: ({ platform, userId, subscriptionId }) => (
            <TextLink to="/apps/$appId/people/$userId" params={{ appId, userId }}>
              <span title={subscriptionId}>{platformNames[platform]}</span>
            </TextLink>
          ),
        },
        { key: 'reports', label: 'Engagement', cell: ({ engagements }) => engagements.join(', ') || '–' },
        ...(isOfOneCampaign
          ? []
          : [
              {
                key: 'campaign',
                label: 'Campaign',
                cell: ({ campaignId }: Push) => (
                  <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId }}>
                    <span className="inline-block max-w-48 truncate align-bottom">{nameOf(campaignId)}</span>
                  </TextLink>
                ),
              },
            ]),
      ]}
    />
  )
}

const PersonName = ({ externalId }: { externalId: string | null }) => (
  <span className="inline-block max-w-48 truncate align-bottom">{externalId ?? 'Anonymous'}</span>
)

/** Shows the code of an outcome, with its meaning as the title, and the provider's own code. */
function Code({ push: { code, providerCode, attempts } }: { push: Push }) {
  if (code === null || code === '') return attempts > 1 ? `after ${attempts} tries` : '–'
  return (
    <>
      <code className="font-mono text-xs" title={remedyFor(code).means}>
        {code}
      </code>
      {providerCode !== null && providerCode !== '' && <span className="text-muted"> {providerCode}</span>}
      {attempts > 1 && <span className="text-muted"> after {attempts} tries</span>}
    </>
  )
}
