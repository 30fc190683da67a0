import { useNavigate, useSearch } from '@tanstack/react-router'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { actionWords, subjectParts } from '../../core/audit-texts.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import type { AuditSearch } from '../search.ts'
import { AuditFilters } from './AuditFilters.tsx'
import { DownloadAudit } from './DownloadAudit.tsx'
import { SubjectPart } from './SubjectPart.tsx'

/** Shows who changed what in an app, and when. */
export function AuditPage() {
  const appId = useAppId()
  const search = useSearch({ from: '/apps/$appId/audit' })
  const navigate = useNavigate()
  const setSearch = (next: AuditSearch) => void navigate({ to: '/apps/$appId/audit', params: { appId }, search: next, replace: true })
  const isFiltered = Object.keys(search).length > 0
  const pages = usePages(['audit', appId, search], async (cursor, signal) => {
    const query = { limit: 50, ...(cursor !== undefined && { cursor }), ...search }
    return dataOf(await client.GET('/v1/admin/apps/{appId}/audit', { params: { path: { appId }, query }, signal }))
  })

  return (
    <Page
      title="Audit log"
      lead="Who changed what and when, without secrets. Names are those typed at sign-in and are not verified."
      actions={<DownloadAudit appId={appId} search={search} />}
    >
      <AuditFilters search={search} onChange={setSearch} />
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0 && !pages.hasMore}
        empty={
          isFiltered ? (
            <Empty
              drawing="found"
              title="No entries match these filters"
              action={<Button onClick={() => setSearch({})}>Show all entries</Button>}
            >
              Entries must match all filters.
            </Empty>
          ) : (
            <Empty title="No changes yet">The first change of this app, such as a new key, appears here.</Empty>
          )
        }
      >
        {() => (
          <>
            <Table
              caption="Changes, newest first"
              rows={pages.items}
              rowKey={({ id }) => id}
              columns={[
                { key: 'when', label: 'When', cell: ({ createdAt }) => <Time at={createdAt} precise /> },
                {
                  key: 'who',
                  label: 'Who',
                  cell: ({ actor }) => (
                    <button
                      type="button"
                      className="rounded text-left underline decoration-transparent underline-offset-2 hover:decoration-current"
                      title="Only this person’s changes"
                      onClick={() => setSearch({ ...search, actor })}
                    >
                      {actor}
                    </button>
                  ),
                },
                {
                  key: 'what',
                  label: 'What',
                  cell: ({ action }) => (
                    <button
                      type="button"
                      className="whitespace-nowrap rounded text-left underline decoration-transparent underline-offset-2 hover:decoration-current"
                      title={`Only ${action}`}
                      onClick={() => setSearch({ ...search, action })}
                    >
                      {actionWords(action)}
                    </button>
                  ),
                },
                {
                  key: 'subject',
                  label: 'Object',
                  cell: ({ subject, action }) => (
                    <dl className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs sm:min-w-64">
                      {subjectParts(subject).map((part) => (
                        <SubjectPart key={part.name} appId={appId} action={action} part={part} />
                      ))}
                    </dl>
                  ),
                },
                {
                  key: 'request',
                  label: 'Request',
                  width: '8rem',
                  cell: ({ requestId }) =>
                    requestId === null ? null : (
                      <CopyText text={requestId} label={`request id ${requestId.slice(0, 8)}`} shown={requestId.slice(0, 8)} />
                    ),
                },
              ]}
            />
            <LoadMore pages={pages} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
