import { useNavigate, useSearch } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { usePages } from '../../api/usePages.ts'
import { tidy } from '../../core/search.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { LogSearch } from '../search.ts'
import { LiveTail } from './LiveTail.tsx'
import { LogFilters } from './LogFilters.tsx'
import { PushTable } from './PushTable.tsx'
import { useCampaignNames } from './useCampaignNames.ts'

type Push = components['schemas']['ListPushesAnswer']['items'][number]
/** The filters that are set. */
type LogFilter = { [Name in Exclude<keyof LogSearch, 'live'>]?: NonNullable<LogSearch[Name]> }
const path = '/v1/admin/apps/{appId}/pushes' as const

/** Shows the log: every push with its outcome, filters, a live tail and a CSV to download. */
export function LogPage() {
  const appId = useAppId()
  const search = useSearch({ from: '/apps/$appId/log' })
  const navigate = useNavigate()
  const { live, ...rest } = search
  const filter = tidy(rest) as LogFilter
  const pages = usePages<Push>(['get', path, appId, filter], async (cursor, signal) => {
    const query = { ...filter, limit: 100, ...(cursor === undefined ? {} : { cursor }) }
    const { data } = await client.GET(path, { params: { path: { appId }, query }, signal })
    return data ?? { items: [], nextCursor: null }
  })
  const nameOf = useCampaignNames(appId, [
    ...(filter.campaignId === undefined ? [] : [filter.campaignId]),
    ...pages.items.map(({ campaignId }) => campaignId),
  ])
  const go = (to: LogSearch) => void navigate({ to: '/apps/$appId/log', params: { appId }, search: to })
  const isFiltered = Object.keys(filter).length > 0

  return (
    <Page
      title="Log"
      guide="codes"
      actions={
        <>
          <Button variant="secondary" aria-pressed={live === true} onClick={() => go(live ? filter : { ...filter, live: true })}>
            {live ? 'Stop' : 'Live view'}
          </Button>
          <Button variant="secondary" busy={pages.query.isRefetching} onClick={() => void pages.query.refetch()}>
            Refresh
          </Button>
          <a className="min-h-6 self-center underline underline-offset-2" href={csvOf(appId, filter)} download>
            Download CSV
          </a>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <LogFilters appId={appId} search={search} nameOf={nameOf} onChange={go} />
        {live && <LiveTail key={JSON.stringify(filter)} appId={appId} filter={filter} />}
        {pages.fault && pages.items.length === 0 && <ErrorNote error={pages.fault} retry={() => void pages.query.refetch()} />}
        {pages.looksOn && (
          <p role="status" className="text-muted">
            None in the newest part of the log. Looking further back.
          </p>
        )}
        {pages.isLoading && <Skeleton lines={8} />}
        {!pages.isLoading && !pages.fault && pages.items.length === 0 && !pages.hasMore && (
          <Empty drawing={isFiltered ? 'found' : 'nothing'} title={isFiltered ? 'Nothing matches' : 'No pushes yet'}>
            {isFiltered ? 'No push matches all of these filters.' : 'Every queued push appears here with its outcome.'}
          </Empty>
        )}
        {pages.items.length > 0 && (
          <div className={pages.fault ? 'grayscale' : ''}>
            <PushTable appId={appId} pushes={pages.items} nameOf={nameOf} isOfOneCampaign={filter.campaignId !== undefined} />
          </div>
        )}
        {pages.fault && pages.items.length > 0 && <ErrorNote error={pages.fault} retry={() => void pages.query.refetch()} />}
        <LoadMore pages={pages} />
        {!pages.hasMore && !pages.isLoading && pages.items.length > 0 && (
          <p className="text-muted">End of the log. Entries are kept for 90 days by default, the counts of campaigns for longer.</p>
        )}
      </div>
    </Page>
  )
}

/** Gives the address of a CSV with the same pushes. The CSV is on this origin, so the browser sends the session's cookie along. */
function csvOf(appId: string, filter: LogFilter): string {
  const query = new URLSearchParams(filter)
  return `/v1/admin/apps/${appId}/pushes.csv${query.size > 0 ? `?${query}` : ''}`
}
