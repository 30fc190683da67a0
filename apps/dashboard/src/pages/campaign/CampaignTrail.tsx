import { api } from '../../api/client.ts'
import { Section } from '../../ui/Section.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { faultOf } from '../../api/fault.ts'

const words: Readonly<Record<string, string>> = {
  'campaign.created': 'created the draft',
  'campaign.changed': 'changed the draft',
  'campaign.approval-asked': 'requested approval',
  'campaign.sent': 'sent or scheduled it',
  'campaign.unsent': 'undid the send',
  'campaign.paused': 'paused it',
  'campaign.resumed': 'resumed it',
  'campaign.rate-changed': 'changed its rate',
  'campaign.cancelled': 'cancelled it',
  'campaign.recalled': 'recalled it',
  'campaign.duplicated': 'duplicated it',
  'campaign.tested': 'sent a test of it',
  'campaign.winner-picked': 'picked the winner',
}

/** Shows the newest 50 lines of the audit about a campaign. */
export function CampaignTrail({ appId, campaignId }: { appId: string; campaignId: string }) {
  const query = { subjectId: campaignId, limit: 50 }
  const { data, error } = api.useQuery('get', '/v1/admin/apps/{appId}/audit', { params: { path: { appId }, query } })
  return (
    <Section title="Activity">
      {error && <ErrorNote error={faultOf(error)} />}
      {data?.items.length === 0 && (
        <p className="text-muted">No changes in the dashboard. Changes through the API are not in the audit log.</p>
      )}
      <ol className="grid list-none gap-1 p-0">
        {data?.items.map(({ id, actor, action, createdAt }) => (
          <li key={id} className="flex flex-wrap gap-x-2">
            <Time at={createdAt} />
            <span>
              <strong>{actor}</strong> {words[action] ?? action}
            </span>
          </li>
        ))}
      </ol>
      {data?.nextCursor && (
        <TextLink to="/apps/$appId/audit" params={{ appId }}>
          Full audit log
        </TextLink>
      )}
    </Section>
  )
}
