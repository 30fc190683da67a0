import type { OutcomeKind } from '@herald/contracts/outcome'
import { findOutcomes } from './store/ledger.ts'
import type { Db } from './store/tables.ts'

/** Which of these pushes have an outcome already, for a dispatcher that takes over a batch whose earlier take died. */
export async function readSettled(
  db: Db,
  request: { day: string; campaignId: string; subscriptionIds: string[] },
): Promise<{ settled: { subscriptionId: string; outcome: OutcomeKind; code: string; tokenVersion: number; at: string }[] }> {
  const rows = await findOutcomes(db, request)
  return {
    settled: rows.map(({ subscription_id, outcome, code, token_version, settled_at }) => ({
      subscriptionId: subscription_id,
      outcome,
      code,
      tokenVersion: token_version,
      at: settled_at.toISOString(),
    })),
  }
}
