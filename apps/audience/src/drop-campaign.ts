import { clearSettled, settleFanOut } from './store/fan-outs.ts'
import type { Db } from './store/tables.ts'

/**
 * The tracker's settlement of a campaign: its batches, frozen send and settings go; the emptied fan-out row stays, so that a
 * late repeat of its pointer sends nothing twice. The last outcome is counted a moment before its batch is finished, and a
 * dispatcher may die in that moment: what is not finished stays (with the send, which another take needs) until it is, or
 * dead tokens would never be invalidated. Told until answered, so a repeat changes nothing.
 */
export async function dropCampaign({ db }: { db: Db }, { campaignId }: { campaignId: string }): Promise<Record<string, never>> {
  await settleFanOut(db, campaignId)
  await clearSettled(db)
  return {}
}
