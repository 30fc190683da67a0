import { Card } from '../../ui/Card.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Overview } from './OverviewPage.tsx'

const schedules: Readonly<Record<string, string>> = { at: 'once', user_timezone: 'at local times', recurring: 'recurring' }

/** Shows the sends that are scheduled, the soonest first. */
export function NextSends({ appId, overview: { nextSends } }: { appId: string; overview: Overview }) {
  return (
    <Card title="Next sends">
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
    </Card>
  )
}
