import type { Experiment, Schedule } from '@herald/contracts/campaign'
import type { ExperimentReport } from '@herald/contracts/experiment-report'
import { fault, invalidField, type Fault } from '@herald/contracts/fault'
import type { CampaignStatus } from '@herald/contracts/stats'

export type Decidable = {
  status: CampaignStatus
  experiment: Experiment | null
  schedule: Schedule | null
  /** True when the campaign is older than the ledger's retention: which users were in the sample is then no longer known. */
  ledgerIsGone: boolean
  hasWinner: boolean
}

/** Says why a winner cannot be picked; undefined when it can be picked. The order of the checks is a rule (spec: experiments/winner-checks). */
export function whyNoWinner({ status, experiment, schedule, ledgerIsGone, hasWinner }: Decidable, variant: string): Fault | undefined {
  if (!experiment) return fault('not_an_experiment', 'The campaign is not an experiment.')
  if (status === 'sending' || status === 'paused')
    return fault('still_sending', 'The campaign is still sending. Pick a winner when it is sent.')
  if (status !== 'sent') return fault('invalid_state', `The campaign is ${status}; a winner is picked when it is sent.`)
  if (experiment.sampleRate === 1) return fault('no_remainder', 'The sample was everyone, so there is no remainder to send to.')
  if (schedule?.type === 'recurring')
    return fault('no_remainder', 'A recurring campaign sends nothing itself. Each of its runs is an experiment of its own.')
  if (ledgerIsGone) return fault('no_remainder', 'Who was in the sample is no longer known: the outcomes are past their retention.')
  if (hasWinner) return winnerAlreadySent()
  if (!experiment.variants.some(({ id }) => id === variant)) return invalidVariant()
  return undefined
}

export const winnerAlreadySent = (): Fault => fault('winner_already_sent', 'The winner was sent already.')

/**
 * Decides what an experiment does by itself, so many minutes after its last push (spec: experiments/auto). A split of users that is none by chance
 * is a mistake somewhere: then there is no winner.
 */
export function decisionOf(
  { decided, sampleRatio, sentRatio }: Pick<ExperimentReport, 'decided' | 'sampleRatio' | 'sentRatio'>,
  { afterMinutes, minMinutes, ifInconclusive }: Pick<NonNullable<Experiment['auto']>, 'afterMinutes' | 'minMinutes' | 'ifInconclusive'>,
  minutes: number,
): 'significance' | 'deadline' | 'none' | 'later' {
  if (minutes < firstLookMinutes({ afterMinutes, minMinutes })) return 'later'
  if (sampleRatio.ok !== true || sentRatio.ok !== true) return minutes >= afterMinutes ? 'none' : 'later'
  if (decided) return 'significance'
  if (minutes < afterMinutes) return 'later'
  return ifInconclusive === 'best' ? 'deadline' : 'none'
}

/** After so many minutes the first look is taken: a variant that is only opened sooner looks better at first. */
export const firstLookMinutes = ({
  afterMinutes,
  minMinutes,
}: Pick<NonNullable<Experiment['auto']>, 'afterMinutes' | 'minMinutes'>): number => minMinutes ?? Math.min(60, afterMinutes)

/** Makes the fault for a variant id that the campaign does not have. */
export const invalidVariant = (): Fault => {
  const { message, details } = invalidField('variant', 'must be the id of a variant of the campaign')
  return fault('unknown_variant', message, details)
}
