import type { ToldNotes } from './note-told.ts'
import { settleFanOuts } from './store/settled.ts'
import type { Db } from '../store/tables.ts'

/**
 * Marks campaigns as settled, in one commit for all, because the tracker says that they are. Batches and frozen sends are deleted then, or by
 * the sweep (`clearSettled`). The emptied fan-out stays, so that a late repeat of its pointer sends nothing twice. The last outcome is counted
 * a moment before its batch is finished, and the dispatcher may die in that moment: an unfinished batch stays, with its send, so that another
 * dispatcher takes it and dead tokens are invalidated. A repeat changes nothing.
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
