import type { ToldNotes } from './note-told.ts'
import { settleFanOuts } from './store/fan-outs.ts'
import type { Db } from '../store/tables.ts'

/**
 * The tracker's settlements of campaigns, one commit for all: their batches, frozen sends and settings may go, and do with the
 * sweep (`clearSettled`); the emptied fan-out row stays, so that a late repeat of its pointer sends nothing twice. The
 * last outcome is counted a moment before its batch is finished, and a dispatcher may die in that moment: what is not
 * finished stays, with the send that another take needs, or dead tokens would never be invalidated. A repeat changes nothing.
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
