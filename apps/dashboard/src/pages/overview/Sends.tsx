import { Section } from '../../ui/Section.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { countText } from '../../core/number.ts'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { CampaignStatus } from '../campaign/CampaignStatus.tsx'
import type { Overview } from './overview.ts'

const schedules: Readonly<Record<string, string>> = { at: 'once', user_timezone: 'at local times', recurring: 'recurring' }

/** Shows the sends that are scheduled, the soonest first. */
export function NextSends({ appId, overview: { nextSends } }: { appId: string; overview: Overview }) {
  return (
    <Section title="Next sends">
      {nextSends.length === 0 && <p className="text-muted">Nothing is scheduled.</p>}
      <ol className="grid list-none gap-2 p-0">
        {nextSends.map(({ campaignId, name, at, schedule }) => (
          <li key={campaignId} className="flex flex-wrap justify-between gap-x-4">
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId }}>
              {name}
            </TextLink>
            <span className="text-muted">
              <Time at={at} />, {schedules[schedule] ?? schedule}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

/** Shows the newest campaigns. The campaigns are read apart from the overview, so that the overview need not wait for them. */
export function LastSends({ appId }: { appId: string }) {
  const { data, error } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: { transactional: 'false', limit: 6 } } },
    { refetchInterval: 30_000 },
  )
  return (
    <Section
      title="Last campaigns"
      actions={
        <TextLink to="/apps/$appId/campaigns" params={{ appId }}>
          All
        </TextLink>
      }
    >
      {error && <ErrorNote error={faultOf(error)} />}
      {data?.items.length === 0 && <p className="text-muted">No campaign has been made yet.</p>}
      <ol className="grid list-none gap-2 p-0">
        {data?.items.map(({ id, name, status, stats }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4">
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: id }}>
              {name}
            </TextLink>
            <span className="text-muted flex gap-3 tabular-nums">
              {stats.queued > 0 && `${countText(stats.sent)} of ${countText(stats.queued)} sent`}
              <CampaignStatus status={status} stats={stats} />
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
