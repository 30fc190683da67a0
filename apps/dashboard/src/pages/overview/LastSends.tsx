import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { countText } from '../../core/number.ts'
import { Card } from '../../ui/Card.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { statusKinds, statusWords } from '../campaign/status-words.ts'

/** Shows the newest campaigns. The campaigns are read apart from the overview, so that the overview need not wait for them. */
export function LastSends({ appId }: { appId: string }) {
  const { data, error } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: { transactional: 'false', limit: 6 } } },
    { refetchInterval: 30_000 },
  )
  return (
    <Card
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
              <Status kind={statusKinds[status]}>{statusWords[status]}</Status>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
