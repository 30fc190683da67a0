import { whatIsCounted } from '../../core/funnel.ts'
import { countText } from '../../core/number.ts'
import { Section } from '../../ui/Section.tsx'
import { Chart } from '../../ui/Chart.tsx'
import type { Overview } from './overview.ts'

const lines = [
  ['sent', 'Sent', '--series-1'],
  ['delivered', 'Confirmed deliveries', '--series-2'],
  ['opened', 'Opened', '--series-3'],
  ['failed', 'Failed', '--series-4'],
] as const
const tiles = [
  ['sent', 'Sent'],
  ['failed', 'Failed'],
  ['skipped', 'Skipped'],
  ['delivered', 'Confirmed deliveries'],
  ['opened', 'Opened'],
  ['clicked', 'Clicked'],
] as const
const day = (seconds: number) => new Date(seconds * 1_000).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Shows the counters of the last 24 hours beside those of the 24 hours before, and a chart of 30 days. */
export function LastDays({ overview: { days, last24h, previous24h } }: { overview: Overview }) {
  const total = (key: (typeof lines)[number][0]) => days.reduce((sum, one) => sum + one[key], 0)
  return (
    <Section title="Delivery and engagement">
      <div className="grid grid-cols-1 gap-6">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
          {tiles.map(([key, label]) => (
            <div key={key}>
              <dt className="text-muted">{label}, 24 hours</dt>
              <dd className="m-0 text-2xl tabular-nums">{countText(last24h[key])}</dd>
              <dd className="text-muted m-0 tabular-nums">{countText(previous24h[key])} in the previous 24</dd>
            </div>
          ))}
        </dl>
        <p className="text-sm text-muted">{whatIsCounted}</p>
        {days.some(({ queued, delivered, opened }) => queued + delivered + opened > 0) ? (
          <Chart
            name="30 days"
            summary={`${lines.map(([key, label]) => `${countText(total(key))} ${label.toLowerCase()}`).join(', ')}, by UTC day.`}
            unit="pushes per day"
            inUtc
            moment={day}
            x={days.map(({ at }) => Date.parse(at) / 1_000)}
            series={lines.map(([key, label, colour]) => ({ label, colour, values: days.map((one) => one[key]) }))}
          />
        ) : (
          <p className="text-muted">Nothing went out in the last 30 days.</p>
        )}
      </div>
    </Section>
  )
}
