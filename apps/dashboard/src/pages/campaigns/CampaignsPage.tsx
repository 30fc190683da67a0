import { useNavigate, useSearch } from '@tanstack/react-router'
import { keepPreviousData } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { isUnderWay } from '../../core/progress.ts'
import { useAppId } from '../../session/useAppId.ts'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import type { CampaignsSearch } from '../search.ts'
import { CampaignFilters } from './CampaignFilters.tsx'
import { CampaignTable } from './CampaignTable.tsx'
import { DownloadCampaigns } from './DownloadCampaigns.tsx'
import { UnfinishedDrafts } from './UnfinishedDrafts.tsx'

// The calendar computes occurrences with the code of the contracts, which the list does not need.
const Calendar = lazy(async () => ({ default: (await import('./Calendar.tsx')).Calendar }))

const pageSize = 50
/** The list is read every 5 s while one of its sends is under way, and otherwise every 30 s, because other operators and backends begin sends too. */
const [soonMs, restMs] = [5_000, 30_000]
type List = components['schemas']['CampaignList']

/** Shows campaigns with their counters, newest first. */
export function CampaignsPage() {
  const appId = useAppId()
  const search = useSearch({ from: '/apps/$appId/campaigns' })
  const navigate = useNavigate()
  const { status, transactional, test, q, cursor, view, days, author, audience, platform } = search
  const query = {
    limit: pageSize,
    transactional: transactional ? ('true' as const) : ('false' as const),
    ...(test ? { test: 'true' as const } : {}),
    ...(status ? { status } : {}),
    ...(q ? { q } : {}),
    ...(author ? { author } : {}),
    ...(audience ? { audience } : {}),
    ...(platform ? { platform } : {}),
    ...(days ? { from: firstDayOf(days).toISOString() } : {}),
    ...(cursor ? { cursor } : {}),
  }
  // Tests are notifications, so the list of tests is read without the filter for transactional sends.
  const { transactional: kind, ...ofTests } = query
  const { limit: _limit, cursor: _cursor, ...filters } = test ? ofTests : query
  const list = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: test ? ofTests : { ...ofTests, transactional: kind } } },
    {
      placeholderData: keepPreviousData,
      enabled: view === undefined,
      refetchInterval: ({ state: { data } }) => (data?.items.some(isUnderWay) ? soonMs : restMs),
    },
  )
  const go = (to: CampaignsSearch, replace = false) =>
    void navigate({ to: '/apps/$appId/campaigns', params: { appId }, search: to, replace })
  const isFiltered = [status, q, cursor, days, author, audience, platform].some((filter) => filter !== undefined)

  return (
    <Page
      title="Campaigns"
      guide="campaigns"
      actions={
        <ButtonLink needed="send" variant="primary" to="/apps/$appId/compose" params={{ appId }}>
          Compose
        </ButtonLink>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <Tabs
          label="Type of send"
          value={view ?? (test ? 'tests' : transactional ? 'transactional' : 'campaigns')}
          onChange={(tab) =>
            go(
              tab === 'tests'
                ? { test: true }
                : tab === 'transactional'
                  ? { transactional: true }
                  : tab === 'calendar'
                    ? { view: tab }
                    : {},
            )
          }
          items={[
            { value: 'campaigns', label: 'Campaigns' },
            { value: 'calendar', label: 'Calendar' },
            { value: 'transactional', label: 'Transactional sends' },
            { value: 'tests', label: 'Test sends' },
          ]}
        />
        {view === 'calendar' ? (
          <Suspense>
            <Calendar appId={appId} month={search.month} onMonth={(month) => go({ view: 'calendar', month })} />
          </Suspense>
        ) : (
          <>
            {!test && !transactional && <UnfinishedDrafts appId={appId} />}
            <CampaignFilters
              key={test ? 'tests' : transactional ? 'transactional' : 'campaigns'}
              search={search}
              onChange={go}
              authors={authorsOf(list.data)}
            >
              <DownloadCampaigns appId={appId} query={filters} />
            </CampaignFilters>
            <Loaded
              query={list}
              isEmpty={({ items, nextCursor }: List) => items.length === 0 && nextCursor === null}
              empty={isFiltered ? <NothingFound onReset={() => go(without(search))} /> : <Nothing appId={appId} search={search} />}
            >
              {(data: List) => <CampaignTable appId={appId} data={data} search={search} />}
            </Loaded>
          </>
        )}
      </div>
    </Page>
  )
}

/** Gives the operators who made the campaigns of the page, by name. */
const authorsOf = (list: List | undefined): string[] =>
  [...new Set(list?.items.flatMap(({ author }) => author ?? []))].toSorted((one, other) => one.localeCompare(other))

/** Gives the midnight with which the last `days` days begin, today among them. */
function firstDayOf(days: number): Date {
  const today = new Date()
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1)
}

const without = ({ transactional, test }: CampaignsSearch): CampaignsSearch => ({
  ...(transactional ? { transactional } : {}),
  ...(test ? { test } : {}),
})

const NothingFound = ({ onReset }: { onReset: () => void }) => (
  <Empty
    drawing="found"
    title="Nothing matches"
    action={
      <button type="button" className="underline" onClick={onReset}>
        Show all
      </button>
    }
  >
    No campaign fits all of these filters.
  </Empty>
)

function Nothing({ appId, search: { transactional, test } }: { appId: string; search: CampaignsSearch }) {
  if (test) return <Empty title="No test sends">A test goes to devices that you mark as test devices. Send one from Compose.</Empty>
  if (transactional)
    return (
      <Empty title="No transactional sends">Your backend sends them through the API. Each is kept here for 90 days after it ended.</Empty>
    )
  return (
    <Empty
      title="No campaigns yet"
      action={
        <ButtonLink needed="send" variant="primary" to="/apps/$appId/compose" params={{ appId }}>
          Create the first campaign
        </ButtonLink>
      }
    >
      A campaign is a notification to everyone or to a segment, now, later or repeatedly.
    </Empty>
  )
}
