import type { ToldNotes } from './note-told.ts'
import { settleFanOuts } from './store/settled.ts'
import type { Db } from '../store/tables.ts'

/**
 * Marks campaigns as settled, in one commit for all, because the tracker reports that they are. Their batches and frozen sends are deleted
 * now, or later by the sweep (`clearSettled`). The rows of the fan-outs stay, so that a late repeat of a pointer sends nothing twice. The
 * ledger has the last outcome a moment before the dispatcher finishes the batch. So an unfinished batch stays, with its send: its
 * dispatcher, or another one after its death, can still finish the batch, and audience then invalidates devices with dead tokens. A repeat
 * of the call changes nothing.
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
