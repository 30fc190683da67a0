import type { ToldNotes } from './note-told.ts'
import { settleFanOuts } from './store/settled.ts'
import type { Db } from '../store/tables.ts'

/**
 * Marks campaigns as settled; their batches and sends are deleted now or by the sweep (`clearSettled`). Rows of fan-outs stay: a late pointer sends
 * nothing. Unfinished batches stay, because finishing them invalidates dead tokens.
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
