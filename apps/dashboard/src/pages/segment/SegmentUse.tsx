import { platformNames, platforms } from '@herald/contracts/platform'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { api, client, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Count } from '../../ui/Count.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'

type SavedSegment = components['schemas']['SavedSegment']

/** Shows how a saved segment is used: its last count, the drafts and the scheduled and recurring campaigns that name it, and some of its users. */
export function SegmentUse({ appId, segment }: { appId: string; segment: SavedSegment }) {
  return (
    <>
      <KeptCount appId={appId} segment={segment} />
      <WaitingCampaigns appId={appId} segmentId={segment.id} />
      <SampleUsers appId={appId} segmentId={segment.id} />
    </>
  )
}

function KeptCount({ appId, segment }: { appId: string; segment: SavedSegment }) {
  const cache = useQueryClient()
  const read = api.queryOptions('get', '/v1/admin/apps/{appId}/segments/{id}', { params: { path: { appId, id: segment.id } } })
  const count = api.useMutation('post', '/v1/admin/apps/{appId}/segments/{id}/count', {
    onSuccess: async () => {
      announce('Segment size updated', 'good')
      await Promise.all([cache.invalidateQueries({ queryKey: read.queryKey }), cache.invalidateQueries({ queryKey: ['segments', appId] })])
    },
  })
  return (
    <Card title="Last saved count">
      <p>
        {segment.lastCount === null || segment.lastCountedAt === null ? (
          <span className="text-muted">Not counted since it was last saved.</span>
        ) : (
          <>
            <Count value={segment.lastCount} /> devices, <Time at={segment.lastCountedAt} />
          </>
        )}
      </p>
      <p className="mt-2">
        <Button type="button" small busy={count.isPending} onClick={() => count.mutate({ params: { path: { appId, id: segment.id } } })}>
          Refresh count
        </Button>
      </p>
      {count.error !== null && <ErrorNote error={count.error} />}
    </Card>
  )
}

const waiting = ['draft', 'scheduled', 'active', 'paused'] as const
const stateNames = { draft: 'draft', scheduled: 'scheduled', active: 'recurring', paused: 'paused' }

function WaitingCampaigns({ appId, segmentId }: { appId: string; segmentId: string }) {
  const lists = useQueries({
    queries: waiting.map((status) => ({
      queryKey: ['campaigns-of-segment', appId, segmentId, status],
      staleTime: 30_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const page = dataOf(
          await client.GET('/v1/admin/apps/{appId}/campaigns', { params: { path: { appId }, query: { status, limit: 200 } }, signal }),
        )
        return page.items.flatMap(({ id, name, segmentId: named }) => (named === segmentId ? [{ id, name, status }] : []))
      },
    })),
  })
  const failed = lists.find(({ error }) => error !== null)
  const found = lists.flatMap(({ data }) => data ?? [])
  if (failed !== undefined) return <ErrorNote error={failed.error} retry={() => void failed.refetch()} />
  return (
    <Card title="Used by">
      {found.length === 0 ? (
        <p className="text-muted">
          {lists.some(({ isPending }) => isPending) ? 'Looking' : 'Not used by any draft, scheduled, recurring or paused campaign.'}
        </p>
      ) : (
        <>
          <p className="text-sm text-muted">Drafts use your changes. The others keep the conditions from when they were scheduled.</p>
          <ul className="mt-2 flex flex-col gap-1">
            {found.map(({ id, name, status }) => (
              <li key={id}>
                <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: id }}>
                  {name}
                </TextLink>{' '}
                <Tag>{stateNames[status]}</Tag>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

function SampleUsers({ appId, segmentId }: { appId: string; segmentId: string }) {
  const query = api.useQuery('get', '/v1/admin/apps/{appId}/users', { params: { path: { appId }, query: { segmentId, limit: 20 } } })
  return (
    <Card title="Sample users">
      <Loaded
        query={query}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className="text-muted">Nobody among the newest users.</p>}
      >
        {({ items }) => (
          <ul className="flex flex-col gap-1">
            {items.map(({ id, externalId, devices }) => (
              <li key={id} className="flex flex-wrap justify-between gap-2">
                <TextLink to="/apps/$appId/people/$userId" params={{ appId, userId: id }}>
                  {externalId ?? id}
                </TextLink>
                <span className="text-muted text-xs">
                  {platforms
                    .filter((platform) => devices[platform] > 0)
                    .map((platform) => `${devices[platform]} ${platformNames[platform]}`)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <p className="text-muted mt-2 text-xs">The newest users who belong to the segment as it is saved.</p>
    </Card>
  )
}
