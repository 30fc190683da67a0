import { platformNames, platforms } from '@herald/contracts/platform'
import { api } from '../../api/client.ts'
import { growthOf } from '../../core/growth.ts'
import { countText } from '../../core/number.ts'
import { some } from '../../core/spans.ts'
import { Section } from '../../ui/Section.tsx'
import { Chart } from '../../ui/Chart.tsx'

const day = (seconds: number) => new Date(seconds * 1_000).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Shows how the number of devices that can be reached has grown, by platform, as Herald counts them at the end of each day. */
export function Growth({ appId }: { appId: string }) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/devices/series',
    { params: { path: { appId } } },
    { staleTime: 300_000, retry: false },
  )
  const growth = growthOf(data?.points ?? [])
  if (growth === undefined) return null
  const { days, reachable, change } = growth
  const changed = change === 0 ? 'as many as' : `${countText(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} than`
  return (
    <Section title="Reachable devices by day">
      <Chart
        name={`${days.length} days`}
        summary={`${countText(reachable)} devices could be reached at the end of the last day, ${changed} ${some(days.length - 1, 'day', 'days')} before.`}
        unit="devices at the end of each day"
        inUtc
        moment={day}
        x={days.map(({ at }) => Date.parse(at) / 1_000)}
        series={platforms.map((platform, place) => ({
          label: platformNames[platform],
          colour: `--series-${place + 1}`,
          values: days.map((one) => one.reachable[platform]),
        }))}
      />
    </Section>
  )
}
