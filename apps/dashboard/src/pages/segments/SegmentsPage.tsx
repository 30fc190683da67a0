import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { countIds, readTree } from '../../core/segment-editor.ts'
import { describeSegment } from '../../core/segment-text.ts'
import { useAppId } from '../../session/useAppId.ts'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Count } from '../../ui/Count.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/segment/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'

const inWords = (definition: unknown): string => {
  const root = readTree(definition, countIds())
  return root === 'unreadable' ? 'shown as JSON only' : describeSegment(root)
}

/** Shows the saved segments of an app. */
export function SegmentsPage() {
  const appId = useAppId()
  const { q } = useSearch({ from: '/apps/$appId/segments' })
  const navigate = useNavigate()
  const pages = usePages(['segments', appId, q ?? ''], async (cursor, signal) => {
    const query = { limit: 50, ...(cursor !== undefined && { cursor }), ...(q !== undefined && { q }) }
    return dataOf(await client.GET('/v1/admin/apps/{appId}/segments', { params: { path: { appId }, query }, signal }))
  })

  return (
    <Page
      title="Segments"
      lead="A segment is a group of devices, by conditions on each device, its user and the user’s tags. Campaigns and your backend can use it."
      guide="segments"
      actions={
        <ButtonLink
          needed="send"
          variant="primary"
          icon={<Plus size={14} aria-hidden />}
          to="/apps/$appId/segments/$segmentId"
          params={{ appId, segmentId: 'new' }}
        >
          New segment
        </ButtonLink>
      }
    >
      <SearchField
        label="Name contains"
        value={q ?? ''}
        onChange={(next) =>
          void navigate({ to: '/apps/$appId/segments', params: { appId }, search: next === '' ? {} : { q: next }, replace: true })
        }
      />
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0 && !pages.hasMore}
        empty={
          q === undefined ? (
            <Empty
              title="No saved segments yet"
              action={
                <ButtonLink needed="send" variant="primary" to="/apps/$appId/segments/$segmentId" params={{ appId, segmentId: 'new' }}>
                  Create the first segment
                </ButtonLink>
              }
            >
              Save a group of users as a segment, such as “paying and active”. Who is in it is found out when a campaign is sent.
            </Empty>
          ) : (
            <Empty drawing="found" title="No segments found">
              No name contains “{q}”. Capitals make no difference.
            </Empty>
          )
        }
      >
        {() => (
          <>
            <Table
              caption="Saved segments, newest first"
              rows={pages.items}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/apps/${appId}/segments/${id}`}
              columns={[
                {
                  key: 'name',
                  label: 'Name',
                  cell: ({ name, description }) => (
                    <>
                      <span className="font-medium">{name}</span>
                      {description !== null && <span className="block text-xs text-muted">{description}</span>}
                    </>
                  ),
                },
                { key: 'who', label: 'Conditions', cell: ({ definition }) => <span className="line-clamp-2">{inWords(definition)}</span> },
                {
                  key: 'count',
                  label: 'Devices',
                  align: 'right',
                  cell: ({ lastCount }) =>
                    lastCount === null ? <span className="text-muted">not counted</span> : <Count value={lastCount} />,
                },
                {
                  key: 'counted',
                  label: 'Counted',
                  cell: ({ lastCountedAt }) =>
                    lastCountedAt === null ? <span className="text-muted">never</span> : <Time at={lastCountedAt} />,
                },
                { key: 'updated', label: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
              ]}
            />
            <LoadMore pages={pages} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
