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
  if (isCrooked(report)) return 'Inconclusive: the split does not match the weights of the variants, so the comparison cannot be trusted.'
  if (variants.every(({ events }) => events === 0)) return `Not significant yet: nobody has ${verb}.`
  const best = leaderOf(report)
  const alpha = auto?.alpha ?? usualAlpha
  const rates = variants
    .toSorted((one, other) => other.rate - one.rate)
    .map(({ id, rate }) => `${nameOf(id)} ${shareText(rate)}`)
    .join(', ')
  const confidence = `${countText((1 - alpha) * 100)} % confidence`
  // With three or more variants the test says that they differ, not which is best.
  if (decided && best && variants.length > 2) return `The variants differ with ${confidence}; ${nameOf(best.id)} leads (${rates}).`
  if (decided && best) return `${nameOf(best.id)} is winning with ${confidence} (${rates}).`
  const fewest = Math.min(...variants.map(({ sent }) => sent))
  const minUsers = auto?.minUsers ?? usualMinUsers
  if (fewest < minUsers)
    return `Not significant yet (${rates}): each variant needs at least ${countText(minUsers)} users with a sent push; the smallest has ${countText(fewest)}.`
  if (report.sampleRatio.ok === null)
    return `Not significant yet (${rates}): the result is evaluated once all pushes to the test group are queued.`
  return p <= alpha ? `Not significant yet (${rates}).` : `Not significant yet (${rates}): more data is needed.`
}

/** Says how many users would find a difference of 10 %; undefined where that is not known or there are enough. */
export function neededText({ needed: { usersPerVariant }, variants }: ExperimentReport): string | undefined {
  if (usersPerVariant === null || variants.every(({ sent }) => sent >= usersPerVariant)) return undefined
  return `To detect a 10 % uplift at your usual rate, each variant needs about ${countText(usersPerVariant)} users.`
}

/** Says who picks the winner and when. `minutesSince`: since the last push to the test group; null while pushes are still to come. */
export function whenDecided(auto: Auto | undefined, minutesSince: number | null, hasRemainder: boolean): string {
  if (!hasRemainder) return 'Everybody got a variant, so nobody is left to send the winner to.'
  if (!auto)
    return minutesSince === null
      ? 'You can pick a winner once sending to the test group is complete.'
      : 'You pick the winner. It goes to the remaining audience.'
  const { afterMinutes, minMinutes = Math.min(60, afterMinutes), ifInconclusive } = auto
  const end = ifInconclusive === 'best' ? 'the best-performing variant is sent' : 'you pick the winner'
  if (minutesSince === null)
    return `Earliest decision: ${minutesText(minMinutes)} after the last push to the test group. Latest: ${minutesText(afterMinutes)}; then ${end}.`
  const [first, last] = [minMinutes - minutesSince, afterMinutes - minutesSince].map((left) => Math.ceil(left))
  if (last !== undefined && last > 0)
    return `${first !== undefined && first > 0 ? `First check in ${some(first, 'minute', 'minutes')}.` : 'Checking every minute.'} The winner is sent automatically once the result is significant. If not, ${end} in ${some(last, 'minute', 'minutes')}.`
  return ifInconclusive === 'best'
    ? 'Test ended: the best-performing variant is sent, unless the split does not match the weights.'
    : 'Test ended without a significant winner. You can pick one yourself.'
}

export type Uplift = components['schemas']['ReadCampaignUpliftAnswer']

/** Says what an uplift shows: more, fewer, or not significant yet. The interval includes 0 while chance explains the difference. */
export function upliftVerdict({ treated, control, difference, low, high, upliftPercent }: Uplift): {
  is: 'more' | 'fewer' | 'unknown'
  text: string
} {
  if (control.users === 0) return { is: 'unknown', text: 'The control group is empty, so there is nothing to compare with.' }
  if (treated.converted + control.converted === 0) return { is: 'unknown', text: 'Not significant yet: nobody has converted.' }
  const relative = upliftPercent === null ? '' : ` (${upliftPercent > 0 ? '+' : ''}${upliftPercent.toFixed(1).replace('-', '−')} %)`
  const text = `Uplift over the control group: ${pointsText(difference)}${relative}.`
  if (low > 0) return { is: 'more', text }
  if (high < 0) return { is: 'fewer', text }
  return { is: 'unknown', text: 'Not significant yet: the difference may be chance.' }
}
