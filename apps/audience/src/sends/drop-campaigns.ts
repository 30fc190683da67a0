import type { ToldNotes } from './note-told.ts'
import { settleFanOuts } from './store/settled.ts'
import type { Db } from '../store/tables.ts'

/**
 * Marks campaigns as settled, in one commit for all, because the tracker reports that they are. Their batches and frozen sends are deleted now, or
 * later by the sweep (`clearSettled`). The row of the fan-out stays, so that a late repeat of its pointer sends nothing twice. The ledger counts the
 * last outcome a moment before the batch is finished, and the dispatcher may die in between. So an unfinished batch stays with its send: another
 * dispatcher takes it, and devices with dead tokens are invalidated. Calling this again changes nothing.
 */
export async function dropCampaigns(
  { db, told }: { db: Db; told: Pick<ToldNotes, 'forget'> },
  settled: { campaignIds: string[] }[],
): Promise<Record<string, never>[]> {
  const campaignIds = [...new Set(settled.flatMap((one) => one.campaignIds))]
  await settleFanOuts(db, campaignIds)
  told.forget(campaignIds)
  return settled.map(() => ({}))
}
