import { localDateAt } from '@herald/contracts/local-time'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight, Repeat } from 'lucide-react'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { byDate, datesOf, entriesOf, monthAfter, type CalendarEntry, type Coming } from '../../core/calendar.ts'
import { localTimeAt } from '../../core/next-instants.ts'
import { Button } from '../../ui/Button.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { TextLink } from '../../ui/TextLink.tsx'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const dayName = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** The calendar reads at most this many campaigns of each status. */
const mostRead = 200

/** Asks Herald for the runs of a recurrence that ends after a number of them. */
async function withRuns(appId: string, campaign: Coming, signal: AbortSignal): Promise<Coming> {
  const { id, schedule } = campaign
  if (schedule?.type !== 'recurring' || schedule.maxRuns === undefined) return campaign
  const path = { appId, id }
  const answer = await client.GET('/v1/admin/apps/{appId}/campaigns/{id}/occurrences', { params: { path, query: { limit: 50 } }, signal })
  return { ...campaign, runs: dataOf(answer).items.map(({ at }) => at) }
}

/** Shows what goes out in a month, in the browser's zone: as a month where there is room, else as a list of days. */
export function Calendar({ appId, month: asked, onMonth }: { appId: string; month: string | undefined; onMonth: (month: string) => void }) {
  const [now] = useState(() => new Date())
  const month = asked ?? localDateAt(now, zone).slice(0, 7)
  const query = useQuery({
    queryKey: ['calendar', appId],
    queryFn: async ({ signal }) => {
      const read = async (status: 'scheduled' | 'active' | 'paused') =>
        dataOf(
          await client.GET('/v1/admin/apps/{appId}/campaigns', {
            params: { path: { appId }, query: { status, transactional: 'false', limit: mostRead } },
            signal,
          }),
        )
      const lists = await Promise.all([read('scheduled'), read('active'), read('paused')])
      const campaigns = await Promise.all(lists.flatMap(({ items }) => items).map((one) => withRuns(appId, one as Coming, signal)))
      return { campaigns, isCut: lists.some(({ nextCursor }) => nextCursor !== null) }
    },
    refetchInterval: 30_000,
  })
  const dates = datesOf(month)
  const [from, to] = [
    new Date(Date.parse(`${dates[0]}T00:00:00Z`) - 86_400_000),
    new Date(Date.parse(`${dates.at(-1)}T00:00:00Z`) + 172_800_000),
  ]
  return (
    <section aria-labelledby="month" className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button small aria-label="The month before" onClick={() => onMonth(monthAfter(month, -1))}>
          <ChevronLeft size={14} aria-hidden />
        </Button>
        <Button small aria-label="The month after" onClick={() => onMonth(monthAfter(month, 1))}>
          <ChevronRight size={14} aria-hidden />
        </Button>
        <h2 id="month" className="text-lg font-semibold">
          {monthName.format(new Date(`${month}-01`))}
        </h2>
        <span className="text-sm text-muted">Times in {zone}</span>
      </div>
      <Loaded query={query}>
        {({ campaigns, isCut }) => {
          const entries = byDate(entriesOf(campaigns, { from, to, now }), zone)
          return (
            <>
              {isCut && <p className="text-muted">Only the newest {mostRead} campaigns per status are shown.</p>}
              <Month appId={appId} month={month} dates={dates} entries={entries} today={localDateAt(now, zone)} />
              <Days appId={appId} month={month} dates={dates} entries={entries} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

type Shown = { appId: string; month: string; dates: readonly string[]; entries: ReadonlyMap<string, CalendarEntry[]> }

/** A cell has room for this many. */
const mostInCell = 4

function Month({ appId, month, dates, entries, today }: Shown & { today: string }) {
  const weeks = Array.from({ length: dates.length / 7 }, (_, week) => dates.slice(week * 7, week * 7 + 7))
  return (
    <table className="hidden w-full table-fixed border-collapse border border-line bg-surface md:table">
      <caption className="sr-only">What goes out in {monthName.format(new Date(`${month}-01`))}</caption>
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th key={name} scope="col" className="border border-line px-2 py-1 text-left text-xs font-medium text-muted">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((date) => {
              const ofDay = entries.get(date) ?? []
              return (
                <td key={date} className={clsx('h-24 border border-line p-1 align-top', !date.startsWith(month) && 'bg-sunken')}>
                  <p className={clsx('text-xs tabular-nums', date === today ? 'font-semibold text-accent' : 'text-muted')}>
                    {Number(date.slice(8))}
                  </p>
                  <ul className="flex list-none flex-col gap-0.5 p-0">
                    {ofDay.slice(0, mostInCell).map((entry) => (
                      <li key={entry.id + entry.at.toISOString()} className="min-w-0 truncate text-xs">
                        <Entry appId={appId} entry={entry} />
                      </li>
                    ))}
                    {ofDay.length > mostInCell && <li className="text-xs text-muted">{ofDay.length - mostInCell} more</li>}
                  </ul>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Days({ appId, month, dates, entries }: Shown) {
  const days = dates.filter((date) => date.startsWith(month) && entries.has(date))
  if (days.length === 0) return <p className="text-muted">Nothing is scheduled this month. Past sends are in the list.</p>
  return (
    <ul className="flex list-none flex-col gap-3 p-0 md:hidden">
      {days.map((date) => (
        <li key={date} className="rounded-lg border border-line bg-surface px-4 py-2">
          <p className="font-medium">{dayName.format(new Date(date))}</p>
          <ul className="list-none p-0">
            {entries.get(date)?.map((entry) => (
              <li key={entry.id + entry.at.toISOString()}>
                <Entry appId={appId} entry={entry} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function Entry({ appId, entry: { id, name, at, repeats, paused } }: { appId: string; entry: CalendarEntry }) {
  return (
    <>
      <span className="text-muted tabular-nums">{localTimeAt(at, zone)}</span>{' '}
      <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: id }}>
        {name}
      </TextLink>
      {repeats && <Repeat size={11} className="ml-1 inline text-muted" aria-label="recurring" />}
      {paused && <span className="text-warning"> paused</span>}
    </>
  )
}
