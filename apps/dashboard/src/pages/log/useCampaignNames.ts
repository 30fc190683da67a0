import { api } from '../../api/client.ts'
import { nameOfSend } from '../../core/send-name.ts'

/**
 * Gives a function that names a campaign for the log. The names of the newest 200 sends are read at once; an older one, and a test, is named by the
 * end of its id.
 */
export function useCampaignNames(appId: string): (campaignId: string) => string {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 60_000 },
  )
  const names = new Map(data?.items.map((campaign) => [campaign.id, nameOfSend(campaign)]))
  return (campaignId) => names.get(campaignId) ?? `…${campaignId.slice(-6)}`
}
