import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { pointAtPages } from './point.ts'
import { deleteBatches } from './store/batches.ts'
import { settleFanOut, wakeWaiting } from './store/fan-outs.ts'

/**
 * The tracker's settlement of a campaign: its batches, frozen send and settings go; the emptied fan-out row stays, so that a
 * late repeat of its pointer sends nothing twice. Told until answered, so a repeat changes nothing.
 */
export async function dropCampaign(audience: Audience, { campaignId }: { campaignId: string }): Promise<Record<string, never>> {
  const fanOut = await transact(audience.db, async (trx) => {
    const settled = await settleFanOut(trx, campaignId)
    await deleteBatches(trx, campaignId)
    return settled
  })
  // Batches that nobody had finished made no room in the app's window until now.
  if (fanOut) await pointAtPages(audience, await wakeWaiting(audience.db, fanOut.app_id))
  return {}
}
