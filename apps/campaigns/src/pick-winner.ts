import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { whyNoWinner, winnerAlreadySent } from './core/experiment.ts'
import { findDecidable, insertWinner } from './store/copies.ts'
import { isErased } from './store/erased-apps.ts'
import type { Db } from './store/tables.ts'

/**
 * Sends the winning variant to the held-out remainder as a new campaign. Status and experiment of a sent campaign do not change any more,
 * so only another winner can come between: the row's key decides. Faults: not_found, then the checks of a winner in their order (spec: experiments/winner-checks).
 */
export async function pickWinner(
  { db, pointAt, ledgerDays }: { db: Db; pointAt: (campaignId: string) => void; ledgerDays: number },
  { appId, campaignId, variant }: { appId: string; campaignId: string; variant: string },
): Promise<{ id: string; status: 'sending' }> {
  const campaign = await findDecidable(db, appId, campaignId, ledgerDays)
  if (!campaign) throw notFound()
  const { experiment, ledger_is_gone: ledgerIsGone, has_winner: hasWinner } = campaign
  const refusal = whyNoWinner({ ...campaign, ledgerIsGone, hasWinner }, variant)
  if (refusal) throw refusal
  const chosen = experiment?.variants.find(({ id }) => id === variant)
  if (!experiment || !chosen) throw new Error('the checks let a variant pass that is none')

  const id = newId()
  const { sampleRate } = experiment
  const isFirst = await insertWinner(db, { id, of: campaignId, sampleRate, content: chosen.content })
  if (!isFirst) throw (await isErased(db, appId)) ? notFound() : winnerAlreadySent()
  pointAt(id)
  return { id, status: 'sending' }
}
