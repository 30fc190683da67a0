import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { noteFailedStart } from './note-failed-start.ts'
import { findSending, type CampaignRow } from './store/campaigns.ts'

type Send = { send: FrozenSend; target: FrozenTarget; flowNo: number }

/**
 * Gives the frozen send of a campaign, for audience to fan out. Null unless the campaign is `sending` and no cancel was asked for, and for a row that
 * cannot be read: this counts as a failed start.
 */
export async function readSend(campaigns: Pick<Campaigns, 'db' | 'log'>, { campaignId }: { campaignId: string }): Promise<Send | null> {
  const send = (await readSends(campaigns, [campaignId])).get(campaignId)
  if (send === null) await noteFailedStart(campaigns, { campaignId })
  return send ?? null
}

/**
 * Gives the frozen sends of those of these campaigns that are `sending` and for which no cancel was asked, by campaign id. Null for a row that cannot
 * be read.
 */
export async function readSends({ db, log }: Pick<Campaigns, 'db' | 'log'>, campaignIds: string[]): Promise<Map<string, Send | null>> {
  const rows = campaignIds.length > 0 ? await findSending(db, campaignIds) : []
  return new Map(rows.map((row) => [row.id, sendOf(row, log)]))
}

function sendOf(row: CampaignRow & { flowNo: number }, log: Campaigns['log']): Send | null {
  try {
    if (row.target) return { send: freeze(row), target: row.target, flowNo: row.flowNo }
    log.error({ campaignId: row.id }, 'a send has no target and cannot be begun')
  } catch (error) {
    log.error({ campaignId: row.id, err: error }, 'a send cannot be read and so not begun')
  }
  return null
}
