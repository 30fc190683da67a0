import { api } from '../../api/client.ts'
import type { KnownTag } from './SegmentContext.ts'

const none: KnownTag[] = []

/** The tags that users of the app have, the first 200 by name. The builder works without them: a tag can be typed too. */
export function useKnownTags(appId: string): readonly KnownTag[] {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/tags',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 60_000, retry: false },
  )
  return data?.items ?? none
}
