import { useQueries } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { nameOfSend } from '../../core/send-name.ts'

/** At most this many campaigns that are not among the newest 200 sends are read by their ids. */
const mostOlder = 25

/**
 * Gives a function that names a campaign for the log. The names of the newest 200 sends are read at once, and older ones of `campaignIds` one by one. A
 * name that is not known is the end of the id.
 */
export function useCampaignNames(appId: string, campaignIds: readonly string[]): (campaignId: string) => string {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 60_000 },
  )
  const names = new Map(data?.items.map((campaign) => [campaign.id, nameOfSend(campaign)]))
  const older = data ? [...new Set(campaignIds)].filter((id) => !names.has(id)).slice(0, mostOlder) : []
  const read = useQueries({
    queries: older.map((id) => ({
      ...api.queryOptions('get', '/v1/admin/apps/{appId}/campaigns/{id}', { params: { path: { appId, id } } }),
      staleTime: Infinity,
      retry: false,
    })),
  })
  for (const { data: campaign } of read) if (campaign) names.set(campaign.id, nameOfSend(campaign))
  return (campaignId) => names.get(campaignId) ?? `…${campaignId.slice(-6)}`
}
