import { settleFanOuts } from './store/fan-outs.ts'
import type { Db } from './store/tables.ts'

/**
 * The tracker's settlements of campaigns, one commit for all: their batches, frozen sends and settings may go, and do with the
 * sweep (`clearSettled`); the emptied fan-out row stays, so that a late repeat of its pointer sends nothing twice. The
 * last outcome is counted a moment before its batch is finished, and a dispatcher may die in that moment: what is not
 * finished stays, with the send that another take needs, or dead tokens would never be invalidated. A repeat changes nothing.
 */
export async function dropCampaigns({ db }: { db: Db }, settled: { campaignId: string }[]): Promise<Record<string, never>[]> {
  await settleFanOuts(
    db,
    settled.map(({ campaignId }) => campaignId),
  )
  return settled.map(() => ({}))
}
