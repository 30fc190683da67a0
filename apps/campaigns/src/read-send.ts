import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { findSending } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type Send = { send: FrozenSend; target: FrozenTarget }

/** Gives the frozen send of a campaign, for audience to fan out. Null when the campaign is unknown, not sent yet, paused, cancelled or over. */
export async function readSend({ db }: Pick<Campaigns, 'db'>, { campaignId }: { campaignId: string }): Promise<Send | null> {
  return (await readSends(db, [campaignId])).get(campaignId) ?? null
}

/** Gives the frozen sends of several campaigns, by campaign id. Campaigns that are unknown, not sent yet, paused, cancelled or over are left out. */
export async function readSends(db: Db, campaignIds: string[]): Promise<Map<string, Send>> {
  const sends = new Map<string, Send>()
  for (const row of campaignIds.length > 0 ? await findSending(db, campaignIds) : []) {
    if (row.target) sends.set(row.id, { send: freeze(row), target: row.target })
  }
  return sends
}
