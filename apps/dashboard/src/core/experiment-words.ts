import type { components } from '../api/schema.gen.ts'
import { countText, percentText } from './number.ts'
import { minutesText } from './schedule-text.ts'
import { some } from './spans.ts'

export type ExperimentReport = components['schemas']['ReadExperimentAnswer']
export type Metric = ExperimentReport['metric']
type Auto = { afterMinutes: number; minMinutes?: number | undefined; minUsers?: number; alpha?: number; ifInconclusive: 'none' | 'best' }
type NameOf = (id: string) => string

/** What the API takes when an experiment says nothing else. */
const [usualAlpha, usualMinUsers] = [0.05, 500]

const verbs: Record<Metric, string> = { open: 'opened', click: 'clicked', conversion: 'converted' }

/** Writes a share as percent with one digit: "12.4 %". */
export const shareText = (share: number): string => percentText(share, 1, 1)

/** Writes a difference of shares in points, with its sign: "+1.2 points", "−0.3 points". */
export const pointsText = (difference: number): string => {
  const points = (difference * 100).toFixed(1)
  return `${points === '0.0' || points === '-0.0' ? '0.0' : difference > 0 ? `+${points}` : points.replace('-', '−')} points`
}

/** Whether the split of users is known to be crooked. Then nothing is decided, whatever the rates are. */
export const isCrooked = ({ sampleRatio, sentRatio }: ExperimentReport): boolean => sampleRatio.ok === false || sentRatio.ok === false

/** Gives the variant with the highest rate. */
export const leaderOf = ({ variants }: ExperimentReport) =>
  variants.reduce<ExperimentReport['variants'][number] | undefined>((best, one) => (best && best.rate >= one.rate ? best : one), undefined)

/** Says in one or two sentences what an experiment shows, and never more than it shows. */
export function verdictOf(report: ExperimentReport, nameOf: NameOf, auto: Auto | undefined): string {
  const { variants, metric, p, decided } = report
  const verb = verbs[metric]
  if (isCrooked(report)) return 'Not decided: the users are not split as the weights say, so the comparison cannot be trusted.'
  if (variants.every(({ events }) => events === 0)) return `Not yet decided: nobody has ${verb} yet.`
  const best = leaderOf(report)
  const rates = variants
    .toSorted((one, other) => other.rate - one.rate)
    .map(({ id, rate }) => `${nameOf(id)} ${shareText(rate)}`)
    .join(', ')
  if (decided && best)
    return `${nameOf(best.id)} is ${verb} by more users than the others (${rates}), and hardly by chance: between equal texts a difference as clear shows in at most ${percentText(p, 1, 1)} of experiments, however often one looks.`
  const fewest = Math.min(...variants.map(({ sent }) => sent))
  const minUsers = auto?.minUsers ?? usualMinUsers
  if (fewest < minUsers)
    return `Not yet decided (${rates}): each variant needs ${countText(minUsers)} users with a push sent, and the smallest has ${countText(fewest)}.`
  if (report.sampleRatio.ok === null) return `Not yet decided (${rates}): it can be decided when all pushes of the sample are queued.`
  return p <= (auto?.alpha ?? usualAlpha)
    ? `Not yet decided (${rates}).`
    : `Not yet decided (${rates}): such a difference may be chance. You may look as often as you like.`
}

/** Says how many users would find a difference of 10 %; undefined where that is not known or there are enough. */
export function neededText({ needed: { usersPerVariant }, variants }: ExperimentReport): string | undefined {
  if (usersPerVariant === null || variants.every(({ sent }) => sent >= usersPerVariant)) return undefined
  return `To find a text that is 10 % better, at your usual rate, takes about ${countText(usersPerVariant)} users of each variant.`
}

/** Says who picks the winner and when. `minutesSince`: since the last push of the sample; null while pushes are still to come. */
export function whenDecided(auto: Auto | undefined, minutesSince: number | null, hasRemainder: boolean): string {
  if (!hasRemainder) return 'Everybody got one of the variants, so there is nobody left to send a winner to.'
  if (!auto)
    return minutesSince === null
      ? 'A winner can be picked when the last push of the sample has an outcome.'
      : 'You pick the winner. It goes to everybody outside the sample.'
  const { afterMinutes, minMinutes = Math.min(60, afterMinutes), ifInconclusive } = auto
  const end = ifInconclusive === 'best' ? 'the best so far goes out' : 'it is left to you'
  if (minutesSince === null)
    return `Herald looks from ${minutesText(minMinutes)} after the last push of the sample, and sends the winner by itself as soon as it is decided. After ${minutesText(afterMinutes)} ${end}.`
  const [first, last] = [minMinutes - minutesSince, afterMinutes - minutesSince].map((left) => Math.ceil(left))
  if (last !== undefined && last > 0)
    return `${first !== undefined && first > 0 ? `Herald looks for the first time in ${some(first, 'minute', 'minutes')}` : 'Herald looks each minute'}, and sends the winner by itself as soon as it is decided. In ${some(last, 'minute', 'minutes')} ${end}.`
  return ifInconclusive === 'best'
    ? 'Its time is over: the best variant goes out, unless the split of users is not as the weights say.'
    : 'Its time is over and nothing was decided. You may pick a winner yourself.'
}

export type Uplift = components['schemas']['ReadCampaignUpliftAnswer']

/** Says what an uplift shows: more, fewer, or not yet known. The interval includes 0 while chance explains the difference. */
export function upliftVerdict({ treated, control, difference, low, high, upliftPercent }: Uplift): {
  is: 'more' | 'fewer' | 'unknown'
  text: string
} {
  if (control.users === 0) return { is: 'unknown', text: 'Nobody was held out, so there is nothing to compare with.' }
  if (treated.converted + control.converted === 0) return { is: 'unknown', text: 'Not yet known: nobody has converted.' }
  const relative = upliftPercent === null ? '' : ` (${upliftPercent > 0 ? '+' : ''}${upliftPercent.toFixed(1).replace('-', '−')} %)`
  if (low > 0) return { is: 'more', text: `More people converted than without it: ${pointsText(difference)}${relative}.` }
  if (high < 0) return { is: 'fewer', text: `Fewer people converted than without it: ${pointsText(difference)}${relative}.` }
  return { is: 'unknown', text: 'Not yet known: the difference may be chance.' }
}
