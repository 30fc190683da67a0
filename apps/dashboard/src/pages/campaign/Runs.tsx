import { client } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { usePages } from '../../api/usePages.ts'
import { countText } from '../../core/number.ts'
import { Section } from '../../ui/Section.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Table } from '../../ui/Table.tsx'
import { CampaignStatus } from './CampaignStatus.tsx'

type Run = components['schemas']['ListRunsOfCampaignAnswer']['items'][number]
const path = '/v1/admin/apps/{appId}/campaigns/{id}/runs' as const

/** Shows the runs of a recurrence, newest first. Each run links to its own campaign page. */
export function Runs({ appId, campaignId }: { appId: string; campaignId: string }) {
  const pages = usePages<Run>(['get', path, appId, campaignId], async (cursor, signal) => {
    const query = { limit: 30, ...(cursor === undefined ? {} : { cursor }) }
    const { data } = await client.GET(path, { params: { path: { appId, id: campaignId }, query }, signal })
    return data ?? { items: [], nextCursor: null }
  })
  return (
    <Section title="Runs">
      {pages.fault && <ErrorNote error={pages.fault} retry={() => void pages.query.refetch()} />}
      {!pages.isLoading && pages.items.length === 0 && !pages.fault && <p className="text-muted">No run has begun yet.</p>}
      {pages.items.length > 0 && (
        <Table<Run>
          caption="Runs"
          rows={pages.items}
          rowKey={({ id }) => id}
          rowHref={({ id }) => `/apps/${appId}/campaigns/${id}`}
          columns={[
            {
              key: 'day',
              label: 'Day',
              cell: ({ localDate }) => localDate,
            },
            {
              key: 'status',
              label: 'Status',
              cell: ({ status, failure, stats }) => (
                <>
                  <CampaignStatus status={status} stats={stats} /> {failure?.message}
                </>
              ),
            },
            { key: 'queued', label: 'Recipients', align: 'right', cell: ({ stats }) => countText(stats.queued) },
            { key: 'sent', label: 'Sent', align: 'right', cell: ({ stats }) => countText(stats.sent) },
            { key: 'failed', label: 'Failed', align: 'right', cell: ({ stats }) => countText(stats.failed) },
            { key: 'opened', label: 'Opened', align: 'right', cell: ({ stats }) => countText(stats.opened) },
          ]}
        />
      )}
      <LoadMore pages={pages} />
    </Section>
  )
}
