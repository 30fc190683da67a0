import { api } from '../../api/client.ts'
import { dayText } from '../../core/schedule-text.ts'
import { Section } from '../../ui/Section.tsx'
import { Time } from '../../ui/Time.tsx'

export function Occurrences({ appId, campaignId }: { appId: string; campaignId: string }) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/occurrences',
    { params: { path: { appId, id: campaignId }, query: { limit: 5 } } },
    { refetchInterval: 60_000 },
  )
  if (!data) return null
  return (
    <Section title="Next runs">
      {data.items.length === 0 && <p className="text-muted">No more runs scheduled.</p>}
      <ol aria-label="Next runs" className="grid list-none gap-1 p-0">
        {data.items.map(({ at, localDate }) => (
          <li key={localDate} className="flex flex-wrap gap-x-3">
            <span>{dayText(localDate)}</span>
            <Time at={at} />
          </li>
        ))}
      </ol>
    </Section>
  )
}
