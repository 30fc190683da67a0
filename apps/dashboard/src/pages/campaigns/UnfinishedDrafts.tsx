import { api } from '../../api/client.ts'
import { some } from '../../core/spans.ts'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { DeleteUnfinished } from '../campaign/DeleteUnfinished.tsx'

/** Lists the messages that nobody has finished yet, also those of others, the one that was saved last first. */
export function UnfinishedDrafts({ appId }: { appId: string }) {
  const { data, refetch } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/drafts',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 0, retry: false },
  )
  const drafts = (data?.items ?? []).toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))
  if (drafts.length === 0) return null
  return (
    <details className="rounded-lg border border-line bg-surface px-4 py-2" open={drafts.length <= 3}>
      <summary className="min-h-6 font-medium">{some(drafts.length, 'draft with missing fields', 'drafts with missing fields')}</summary>
      <ul className="mt-1 flex flex-col divide-y divide-line">
        {drafts.map(({ id, name, savedBy, updatedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
            <TextLink to="/apps/$appId/compose/$campaignId" params={{ appId, campaignId: id }}>
              {name ?? 'Untitled message'}
            </TextLink>
            <span className="text-sm text-muted">
              {savedBy}, <Time at={updatedAt} />
            </span>
            <span className="ml-auto">
              <DeleteUnfinished appId={appId} id={id} label={`Delete ${name ?? 'it'}`} onDeleted={() => void refetch()} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
