import type { components } from '../../api/schema.gen.ts'
import { inOrderOf, totalsOf } from '../../core/campaigns-csv.ts'
import { whatIsCounted } from '../../core/funnel.ts'
import { countText, percentText } from '../../core/number.ts'
import { nameOfSend } from '../../core/send-name.ts'
import { some } from '../../core/spans.ts'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import type { CampaignsSearch } from '../search.ts'
import { CampaignStatus } from '../campaign/CampaignStatus.tsx'

type Campaign = components['schemas']['CampaignWithStats']
type Props = { appId: string; data: components['schemas']['CampaignList']; search: CampaignsSearch }

const orders = { sent: 'most sent first', failed: 'most failed first', opened: 'by open rate', clicked: 'by click rate' } as const

/** Shows a page of the list of campaigns, with links to older and to the newest campaigns. The cursor is in the address. */
export function CampaignTable({ appId, data, search }: Props) {
  const { cursor, ...first } = search
  const totals = totalsOf(data.items)
  return (
    <>
      <Table<Campaign>
        caption={search.sort === undefined ? 'Campaigns, newest first' : `Campaigns of this page, ${orders[search.sort]}`}
        rows={inOrderOf(data.items, search.sort)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/apps/${appId}/campaigns/${id}`}
        columns={[
          {
            key: 'name',
            label: 'Name',
            cell: ({ name, content, silent, activity }) => (
              <>
                <span className="font-medium break-words">{nameOfSend({ name, activity })}</span>
                <span className="block max-w-80 truncate text-sm text-muted" dir="auto">
                  {textOf(content, silent && activity === undefined, name)}
                </span>
              </>
            ),
          },
          {
            key: 'status',
            label: 'Status',
            cell: ({ status, cancelling, approval, stats }) => (
              <CampaignStatus status={status} cancelling={cancelling} approval={approval} stats={stats} />
            ),
          },
          { key: 'when', label: 'When', cell: (campaign) => <When campaign={campaign} /> },
          { key: 'queued', label: 'Recipients', align: 'right', cell: ({ stats }) => countText(stats.queued) },
          { key: 'sent', label: 'Sent', align: 'right', cell: ({ stats }) => countText(stats.sent) },
          { key: 'failed', label: 'Failed', align: 'right', cell: ({ stats }) => countText(stats.failed) },
          { key: 'opened', label: 'Open rate', align: 'right', cell: ({ stats }) => percentText(stats.opened, stats.sent, 1) },
          { key: 'clicked', label: 'Click rate', align: 'right', cell: ({ stats }) => percentText(stats.clicked, stats.sent, 1) },
        ]}
      />
      <p className="mt-2 text-sm text-muted tabular-nums">
        {some(data.items.length, 'campaign', 'campaigns')} on this page: {some(totals.queued, 'recipient', 'recipients')},{' '}
        {countText(totals.sent)} sent, {countText(totals.failed)} failed. Of sent, {percentText(totals.opened, totals.sent, 1)} opened and{' '}
        {percentText(totals.clicked, totals.sent, 1)} clicked. {whatIsCounted}
      </p>
      <p className="mt-3 flex gap-3">
        {cursor !== undefined && (
          <ButtonLink variant="secondary" to="/apps/$appId/campaigns" params={{ appId }} search={first}>
            Newest
          </ButtonLink>
        )}
        {data.nextCursor !== null && (
          <ButtonLink variant="secondary" to="/apps/$appId/campaigns" params={{ appId }} search={{ ...first, cursor: data.nextCursor }}>
            Older
          </ButtonLink>
        )}
      </p>
    </>
  )
}

/** The title of a campaign in its default language, unless it is its name already. */
function textOf(content: Campaign['content'], silent: boolean, name: string): string {
  if (content === null) return silent ? 'Silent' : ''
  const { _default: language } = content
  const entry = content[language]
  const title = typeof entry === 'object' ? entry.title : ''
  return title === name ? (typeof entry === 'object' ? entry.body : '') : title
}

/** Shows when a campaign begins or runs next, else when it began, else when the draft was made. */
function When({ campaign: { status, nextAt, startedAt, createdAt } }: { campaign: Campaign }) {
  if (nextAt !== null)
    return (
      <>
        {status === 'active' ? 'next run ' : 'begins '}
        <Time at={nextAt} />
      </>
    )
  if (startedAt !== null) return <Time at={startedAt} />
  return (
    <>
      created <Time at={createdAt} />
    </>
  )
}
