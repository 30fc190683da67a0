import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { freeze } from './core/frozen-send.ts'
import { findSending } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/** What audience fans out, frozen when it was accepted. Null: unknown, or not to be sent (any more). */
export async function readSend(db: Db, { campaignId }: { campaignId: string }): Promise<{ send: FrozenSend; target: FrozenTarget } | null> {
  return (await readSends(db, [campaignId])).get(campaignId) ?? null
}

/** The same of several campaigns, by id; without those that are unknown or not to be sent. */
export async function readSends(db: Db, campaignIds: string[]): Promise<Map<string, { send: FrozenSend; target: FrozenTarget }>> {
  const sends = new Map<string, { send: FrozenSend; target: FrozenTarget }>()
  for (const row of campaignIds.length > 0 ? await findSending(db, campaignIds) : []) {
    if (!row.target) continue
    const remainder =
      row.remainder_of !== null && row.remainder_rate !== null ? { of: row.remainder_of, sampleRate: row.remainder_rate } : null
    const { app_id: appId, collapse_id: collapseId, local_times_after: localTimesAfter } = row
    sends.set(row.id, { send: freeze({ ...row, appId, collapseId, localTimesAfter, remainder }), target: row.target })
  }
  return sends
}
