import { fault, notFound } from '@herald/contracts/fault'
import { whyNoWinner } from './core/experiment.ts'
import { findDecidable } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/**
 * Sends the winning variant to the held-out remainder as a new campaign. Faults: not_found, then the winner checks of decisions.md 5 in
 * their order. Experiments cannot be sent yet, so nothing passes them all.
 */
export async function pickWinner(
  db: Db,
  { appId, campaignId, variant }: { appId: string; campaignId: string; variant: string },
): Promise<{ id: string; status: 'sending' }> {
  const campaign = await findDecidable(db, appId, campaignId)
  if (!campaign) throw notFound()
  const { status, experiment, has_winner } = campaign
  throw (
    whyNoWinner({ status, experiment, hasWinner: has_winner }, variant) ?? fault('invalid_state', 'Sending a winner is not available yet.')
  )
}
