import type { Campaigns } from './campaigns.ts'
import { mostFailedStarts } from './core/campaign.ts'
import { countFailedStart, markFailed } from './store/campaigns.ts'

const failure = {
  code: 'internal',
  message: 'The send could not be begun on any of five tries. The logs of audience and campaigns say why.',
}

/**
 * Notes that a send could not be begun by its own fault, not because a service or a database is away. The sweep tries it again, and after the fifth
 * failure the send ends as failed.
 */
export async function noteFailedStart(
  { db }: Pick<Campaigns, 'db'>,
  { campaignId }: { campaignId: string },
): Promise<Record<string, never>> {
  const failures = await countFailedStart(db, campaignId)
  if (failures >= mostFailedStarts) await markFailed(db, campaignId, failure)
  return {}
}
