import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { isFollowed } from '../../core/progress.ts'
import type { Reading } from './useSend.ts'

export type Breakdown = components['schemas']['ReadBreakdownAnswer']

/** Reads the counters of a campaign by platform and code: every 5 s while the page follows the send, else once. */
export function useBreakdown(appId: string, id: string, reading: Reading | undefined) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/breakdown',
    { params: { path: { appId, id } } },
    { enabled: reading !== undefined && reading.stats.queued > 0, refetchInterval: reading && isFollowed(reading.status) ? 5_000 : false },
  )
  return data
}
