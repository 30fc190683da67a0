import { useState } from 'react'
import { api } from '../../api/client.ts'
import { curveSpans, risingCurve, type CurveSpan } from '../../core/curve.ts'
import { isFollowed } from '../../core/progress.ts'
import { countText } from '../../core/number.ts'
import { Chart } from '../../ui/Chart.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Campaign, Reading } from './useSend.ts'

const kinds = [
  ['delivered', 'Confirmed deliveries', '--series-1'],
  ['opened', 'Opened', '--series-2'],
  ['clicked', 'Clicked', '--series-3'],
  ['dismissed', 'Dismissed', '--series-4'],
] as const
const spanWords: Record<CurveSpan, string> = { hour: 'First hour', day: 'First day', all: 'All time' }

/** Shows how the reports of devices rose since the send, by the minute in the first hour. */
export function Curve({ appId, campaign, reading }: { appId: string; campaign: Campaign; reading: Reading }) {
  const [chosen, setChosen] = useState<CurveSpan>()
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/curve',
    { params: { path: { appId, id: campaign.id } } },
    { refetchInterval: isFollowed(reading.status) ? 10_000 : 60_000 },
  )
  if (!data || data.startedAt === null) return null
  if (!data.kept) return <p className="text-muted">No timeline for this campaign. The log has the time of each push.</p>
  if (data.points.length === 0) return <p className="text-muted">No device has reported yet.</p>
  const begun = Date.parse(data.startedAt) / 1_000
  const spans = curveSpans(data.points)
  const span = chosen !== undefined && spans.includes(chosen) ? chosen : spans.includes('day') ? 'day' : 'all'
  const { afterSeconds, ...rising } = risingCurve(data.points, span)
  const total = kinds.map(([kind, label]) => `${countText(rising[kind].at(-1) ?? 0)} ${label.toLowerCase()}`).join(', ')
  return (
    <div className="grid grid-cols-1 gap-2">
      {spans.length > 1 && (
        <Select
          className="justify-self-end"
          aria-label="Time after the send"
          value={span}
          options={spans.map((value) => ({ value, label: spanWords[value] }))}
          onChange={({ target }) => setChosen(spans.find((one) => one === target.value))}
        />
      )}
      <Chart
        name="Engagement over time"
        summary={`${spanWords[span]}: ${total}.`}
        unit="events so far"
        x={afterSeconds.map((seconds) => begun + seconds)}
        series={kinds.map(([kind, label, colour]) => ({ label, colour, values: rising[kind] }))}
      />
    </div>
  )
}
