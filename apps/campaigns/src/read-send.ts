import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { findSending } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type Send = { send: FrozenSend; target: FrozenTarget }

/** Gives the send that audience fans out, as it was frozen when it was accepted. Null when it is unknown or not (any more) to be sent. */
export async function readSend({ db }: Pick<Campaigns, 'db'>, { campaignId }: { campaignId: string }): Promise<Send | null> {
  return (await readSends(db, [campaignId])).get(campaignId) ?? null
}

/** The same for several campaigns, by id. Campaigns that are unknown or not to be sent are left out. */
export async function readSends(db: Db, campaignIds: string[]): Promise<Map<string, Send>> {
  const sends = new Map<string, Send>()
  for (const row of campaignIds.length > 0 ? await findSending(db, campaignIds) : []) {
    if (row.target) sends.set(row.id, { send: freeze(row), target: row.target })
  }
  return sends
}
