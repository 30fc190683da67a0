import { countExperiment } from '@herald/contracts/calls/tracker'
import { bestOf, reportOf } from '@herald/contracts/experiment-report'
import type { DecidedBy } from '@herald/contracts/experiment-metrics'
import { Fault } from '@herald/contracts/fault'
import type { Campaigns } from './campaigns.ts'
import { decisionOf } from './core/experiment.ts'
import { pickWinner } from './pick-winner.ts'
import { markDecided, nextWinnerDueInMs, takeUndecided, type Undecided } from './store/auto-winners.ts'

/** A look counts users in the tracker, up to a second for a million, so one sweep takes few. */
const atOnce = 5

type Picking = Pick<Campaigns, 'db' | 'bus' | 'log' | 'pointAt' | 'poke' | 'ledgerDays'>

/**
 * Looks at the experiments that pick their winner by themselves (spec: experiments/auto), each once a minute. A person may be quicker: the row of the
 * winner is unique.
 */
export async function pickWinners(picking: Picking): Promise<{ took: number; nextInMs?: number }> {
  const { db, log } = picking
  const dueInMs = await nextWinnerDueInMs(db)
  if (dueInMs === undefined) return { took: 0 }
  if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }
  const due = await takeUndecided(db, atOnce)
  for (const one of due) {
    try {
      if (await isDone(picking, one)) await markDecided(db, one.id)
    } catch (error) {
      // A tracker that is away is asked again in a minute, and the other experiments go on.
      log.warn({ campaignId: one.id, err: error }, 'an experiment could not be looked at; it is tried again in a minute')
    }
  }
  return { took: due.length }
}

/** Looks at one experiment, and picks its winner when there is one. Answers whether no further look is needed. */
async function isDone(picking: Picking, { id: campaignId, appId, experiment, minutes }: Undecided): Promise<boolean> {
  const { auto, variants } = experiment
  if (!auto || minutes === null) return true
  const counted = await picking.bus.call(countExperiment, {
    ...{ appId, campaignId, metric: auto.metric, conversion: auto.conversion ?? null },
    variants: variants.map(({ id, weight }) => ({ id, weight })),
  })
  if (!counted) return true
  const report = reportOf(experiment, counted, { metric: auto.metric, final: false, decidedBy: null })
  const decision = decisionOf(report, auto, minutes)
  if (decision === 'later') return false
  if (decision === 'none') return true
  await pickOnce(picking, { appId, campaignId, variant: bestOf(report), decidedBy: decision })
  return true
}

/** Picks the winner, unless somebody was quicker or nobody is left to get it. */
async function pickOnce(
  picking: Picking,
  asked: { appId: string; campaignId: string; variant: string; decidedBy: DecidedBy },
): Promise<void> {
  try {
    await pickWinner(picking, { ...asked, by: null })
  } catch (error) {
    if (!Fault.is(error)) throw error
    picking.log.info({ campaignId: asked.campaignId, code: error.code }, 'an experiment has no winner of its own')
  }
}
