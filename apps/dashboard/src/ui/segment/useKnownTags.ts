import { api } from '../../api/client.ts'
import type { KnownTag } from './SegmentContext.ts'

const none: KnownTag[] = []

/** Reads the first 200 tags that users of the app have, by name. The editor works without them too, because a tag can be typed. */
export function useKnownTags(appId: string): readonly KnownTag[] {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/tags',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 60_000, retry: false },
  )
  return data?.items ?? none
}
