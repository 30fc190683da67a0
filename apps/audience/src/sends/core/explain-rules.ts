import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { choiceOf, isSubscribed, type Choices } from '@herald/contracts/category'
import type { ExplainedStep } from '@herald/contracts/explain'
import { isHeldOut } from '@herald/contracts/holdout'
import { quietUntil } from '@herald/contracts/quiet-hours'
import type { Segment } from '@herald/contracts/segment'
import { findTimeZone } from '@herald/contracts/text'
import type { FanOutSoFar } from './explain-push.ts'
import { categoryObeyed, rulesFor } from './queueing.ts'
import { planWaves, zoneOf, type Wave } from './waves.ts'

/** A send to explain. `begins`: the send has not begun, and is explained as if it began now. */
export type SendToExplain = {
  send: FrozenSend
  target: FrozenTarget
  /** The compiled segment; null when the target is no segment, or a segment that is invalid in this version of Herald. */
  segment: Segment | null
  /** The app's settings as they were frozen at the first page; without a fan-out the settings of now. */
  settings: AppSettings
  begins: boolean
  /** When the fan-out began; when its row was deleted, the time at which the send began as campaigns knows it. Null when the send has not begun. */
  startedAt: Date | null
  fanOut: (FanOutSoFar & { settledAt: Date | null; waves: Wave[] | null; pastWaves: Wave[] | null }) | undefined
  now: Date
}

/** Gives the index of the wave for a time zone. A zone for which no wave was planned belongs to the last wave. */
export function ownWave(waves: readonly Wave[], zone: string): number {
  const planned = waves.findIndex(({ zones }) => zones.includes(zone))
  return planned === -1 ? Math.max(0, waves.length - 1) : planned
}

/** Gives the step of the send's category. A send that is exempt, or whose category nobody can leave, reaches everybody. */
export function categorySteps({ send }: SendToExplain, choices: Choices): ExplainedStep[] {
  const { category } = send
  if (!category) return []
  const subscribed = isSubscribed(category, choiceOf(choices, category.id))
  const result = subscribed || categoryObeyed(send) === null ? 'pass' : 'stop'
  return [{ step: 'category', result, basis: 'now', category: category.id, subscribed, default: category.default }]
}

/** Plans the wave of a time zone for a send that has not begun, as if it began now; undefined when it would begin at once. */
export function planOwnWave({ send, settings, startedAt, now }: SendToExplain, zone: string): Wave | undefined {
  if (startedAt) return undefined
  const { holdFor } = rulesFor(send, settings)
  const { defaultTimezone } = settings
  return planWaves({ zones: [zone], defaultTimezone, userTimezone: send.userTimezone, holdFor, startedAt: now })?.[0]
}

/** Gives the step of the wave. It stops a push when the date and time of the send had passed in the user's time zone. `no`: its number in the send. */
export function waveSteps(
  { send, settings, startedAt, now }: SendToExplain,
  { wave, no, of, zone, isAhead }: { wave: Wave | undefined; no: number | null; of: number | null; zone: string; isAhead: boolean },
): ExplainedStep[] {
  if (!wave && (startedAt || (!send.userTimezone && !rulesFor(send, settings).holdFor))) return []
  const isExpired = wave?.expired === true
  return [
    {
      step: 'wave',
      result: isExpired ? 'stop' : wave && isAhead ? 'wait' : 'pass',
      basis: 'now',
      zone: zoneOf(zone, settings.defaultTimezone),
      zoneKnown: findTimeZone(zone) !== undefined,
      expired: isExpired,
      ...{ at: wave?.at ?? now.toISOString(), wave: no, of },
    },
  ]
}

/** Gives the step of the hold-out, which follows from the user and the settings that were frozen with the send. */
export function holdoutSteps({ send, settings, begins }: SendToExplain, userId: string): ExplainedStep[] {
  const { holdout } = rulesFor(send, settings)
  if (!holdout) return []
  const heldOut = isHeldOut(send.appId, holdout, userId)
  return [{ step: 'holdout', result: heldOut ? 'stop' : 'pass', basis: begins ? 'now' : 'frozen', heldOut, percent: holdout.percent }]
}

export function quietSteps({ send, settings, startedAt, now }: SendToExplain, userZone: string, wave: Wave | undefined): ExplainedStep[] {
  const { holdFor, skipIn } = rulesFor(send, settings)
  const quiet = holdFor ?? skipIn
  if (!quiet) return []
  const zone = zoneOf(userZone, settings.defaultTimezone)
  const until = quietUntil(quiet, zone, skipIn && wave ? new Date(wave.at) : (startedAt ?? now))
  const result = !until ? 'pass' : skipIn ? 'stop' : 'wait'
  const { start, end } = quiet
  return [{ step: 'quiet_hours', result, basis: 'now', start, end, zone, until: until?.toISOString() ?? null }]
}

/** Gives the step of the frequency cap, with the campaigns that counted: from the cap's window before the push's wave until the send was settled. */
export function capSteps(
  { send, settings, fanOut, startedAt, now }: SendToExplain,
  claims: readonly { campaignId: string; at: Date }[],
  wave: Wave | undefined,
): ExplainedStep[] {
  const { frequencyCap } = rulesFor(send, settings)
  if (!frequencyCap) return []
  const { max, windowSeconds } = frequencyCap
  const from = (wave ? new Date(wave.at) : (startedAt ?? now)).getTime() - windowSeconds * 1000
  const to = (fanOut?.settledAt ?? now).getTime()
  const isCounted = claims.some(({ campaignId }) => campaignId === send.campaignId)
  const counted = claims.filter(({ campaignId, at }) => campaignId !== send.campaignId && at.getTime() > from && at.getTime() <= to)
  return [
    {
      step: 'frequency_cap',
      result: !isCounted && counted.length >= max ? 'stop' : 'pass',
      basis: 'now',
      max,
      windowSeconds,
      counted: counted.map(({ campaignId, at }) => ({ campaignId, at: at.toISOString() })),
    },
  ]
}
