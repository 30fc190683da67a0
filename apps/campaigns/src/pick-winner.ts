import type { DecidedBy } from '@herald/contracts/experiment-metrics'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { isErased } from '@herald/service/erased-apps'
import type { Campaigns } from './campaigns.ts'
import { whyNoWinner, winnerAlreadySent } from './core/experiment.ts'
import { findDecidable, insertWinner } from './store/copies.ts'

/**
 * Sends the winning variant, now or after the delay, as a new campaign, to the users outside the sample. Faults: not_found, then those of the checks in their order (spec:
 * experiments/winner-checks).
 */
export async function pickWinner(
  { db, pointAt, poke, ledgerDays }: Pick<Campaigns, 'db' | 'pointAt' | 'poke' | 'ledgerDays'>,
  {
    appId,
    campaignId,
    variant,
    by,
    delaySeconds = 0,
    decidedBy = 'person',
  }: {
    appId: string
    campaignId: string
    variant: string
    by: string | null
    delaySeconds?: number | undefined
    decidedBy?: DecidedBy
  },
): Promise<{ id: string; status: 'sending' | 'scheduled'; nextAt: string | null }> {
  const campaign = await findDecidable(db, appId, campaignId, ledgerDays)
  if (!campaign) throw notFound()
  const { experiment } = campaign
  // No lock: status and experiment of a sent campaign never change, and the new row's unique key lets one of two picks through.
  const refusal = whyNoWinner(campaign, variant)
  if (refusal) throw refusal
  const chosen = experiment?.variants.find(({ id }) => id === variant)
  if (!experiment || !chosen) throw new Error('a variant passed the checks that the campaign does not have')

  const id = newId()
  const { sampleRate } = experiment
  const made = await insertWinner(db, { id, of: campaignId, sampleRate, variant: chosen, by, decidedBy, delaySeconds })
  if (!made) throw (await isErased(db, appId)) ? notFound() : winnerAlreadySent()
  if (delaySeconds === 0) pointAt(id)
  else poke()
  return delaySeconds === 0 ? { id, status: 'sending', nextAt: null } : { id, status: 'scheduled', nextAt: made.dueAt.toISOString() }
}
