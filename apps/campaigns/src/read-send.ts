import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { findSending } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type Send = { send: FrozenSend; target: FrozenTarget }

/** Gives the frozen send of a campaign, for audience to fan out. Null unless the campaign is `sending` and no cancel was asked for. */
export async function readSend({ db }: Pick<Campaigns, 'db'>, { campaignId }: { campaignId: string }): Promise<Send | null> {
  return (await readSends(db, [campaignId])).get(campaignId) ?? null
}

/** Gives the frozen sends of those of these campaigns that are `sending` and for which no cancel was asked, by campaign id. */
export async function readSends(db: Db, campaignIds: string[]): Promise<Map<string, Send>> {
  const sends = new Map<string, Send>()
  for (const row of campaignIds.length > 0 ? await findSending(db, campaignIds) : []) {
    if (row.target) sends.set(row.id, { send: freeze(row), target: row.target })
  }
  return sends
}
