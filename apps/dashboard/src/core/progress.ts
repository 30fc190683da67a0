import type { Platform } from '@herald/contracts/platform'
import type { CampaignStatus, Stats } from '@herald/contracts/stats'
import { countText, percentText } from './number.ts'
import { spanOf } from '@herald/contracts/span-of'
import { some } from './spans.ts'

type Counters = Pick<Stats, 'queued' | 'sent' | 'failed' | 'skipped'>
export type PlatformProgress = Record<Platform, { queued: number; settled: number }>

/** The state of a send in an event of the stream `…/campaigns/:id/progress`. */
export type Progress = {
  status: CampaignStatus
  cancelling: boolean
  stats: Stats
  byPlatform: PlatformProgress
  fannedOut: boolean
  /** How many pushes the send will have, estimated while its devices are still looked at; null while unknown. */
  expected: number | null
  ratePerSecond: number
  etaSeconds: number | null
}

/**
 * Gives the counters with `waiting`, so that queued = sent + failed + skipped + waiting. `waiting` is computed from the other four, so the numbers of
 * one reading always add up.
 */
export const equationOf = ({ queued, sent, failed, skipped }: Counters): Counters & { waiting: number } => ({
  queued,
  sent,
  failed,
  skipped,
  waiting: queued - sent - failed - skipped,
})

export const isOver = (status: CampaignStatus): boolean => status === 'sent' || status === 'cancelled' || status === 'failed'

/** Says whether a send changes by itself in the next seconds, so that the page reads it again soon. */
export const isUnderWay = ({ status, cancelling }: { status: CampaignStatus; cancelling: boolean }): boolean =>
  status === 'sending' || (status === 'paused' && cancelling)

/** Says whether the page follows the stream of a send. The page follows a paused send too, because the send can be resumed at any moment. */
export const isFollowed = (status: CampaignStatus): boolean => status === 'sending' || status === 'paused'

/** A reading of the counters by platform. `at` is in milliseconds of the browser's monotonic clock. */
export type PlatformSample = { at: number; byPlatform: PlatformProgress }

/** The page measures the speed of a platform over this time. The gateway measures the speed of the whole send over the same time. */
const rateOverMs = 10_000

/** Adds a reading and drops the readings that are older than `rateOverMs`. */
export const withSample = (samples: readonly PlatformSample[], sample: PlatformSample): PlatformSample[] => [
  ...samples.filter(({ at }) => sample.at - at <= rateOverMs),
  sample,
]

/** Gives the outcomes per second of a platform; null while there are fewer than two readings. `samples` has the oldest first. */
export function rateOf(samples: readonly PlatformSample[], platform: Platform): number | null {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.at <= oldest.at) return null
  const rate = ((newest.byPlatform[platform].settled - oldest.byPlatform[platform].settled) / (newest.at - oldest.at)) * 1_000
  return Math.max(0, rate)
}

/** Writes a speed, given in pushes a second: "298,800 per minute". */
export const rateText = (rate: number): string => `${countText(Math.round(rate * 60))} per minute`

export type State = {
  status: CampaignStatus
  cancelling: boolean
  stats: Counters
  /** Whether the fan-out is complete; undefined while the stream has not said it. */
  fannedOut: boolean | undefined
  expected: number | null
  /** Why nothing goes out now, when providers hold the send's pushes; null when they do not. */
  heldBecause: string | null
  ratePerSecond: number
  etaSeconds: number | null
  startedAt: string | null
  settledAt: string | null
  failure: { code: string; message: string } | null
  isRecurring: boolean
}

/** Says the state of a send in one sentence, without times of day, which the page shows in the operator's zone. `now` is in milliseconds. */
export function stateSentence(state: State, now: number): string {
  const { status, cancelling, stats, startedAt, settledAt } = state
  const { queued, waiting } = equationOf(stats)
  const seconds = startedAt === null ? null : ((settledAt === null ? now : Date.parse(settledAt)) - Date.parse(startedAt)) / 1_000
  if (cancelling && !isOver(status))
    return `Cancelling: ${some(waiting, 'push', 'pushes')} waiting. What a provider already has cannot be stopped.`
  switch (status) {
    case 'draft':
      return 'A draft: nothing is sent.'
    case 'scheduled':
      return 'Scheduled: it will be sent automatically.'
    case 'active':
      return 'Active: each run is sent as its own campaign.'
    case 'paused':
      return state.isRecurring
        ? 'Paused: no run starts until you resume it. A pause that lasts too long, usually 30 days, becomes a cancel.'
        : `Paused: ${some(waiting, 'push waits', 'pushes wait')}. Resume before their time to live ends; a pause of usually 30 days becomes a cancel.`
    case 'sending':
      return sendingSentence(state, queued, waiting, seconds)
    case 'sent':
      if (state.isRecurring) return 'Finished: no more runs.'
      return queued === 0
        ? 'No recipients: no device matched.'
        : `Sent${seconds === null ? '' : ` in ${spanOf(seconds)}`}: ${countText(stats.sent)} of ${some(queued, 'push was', 'pushes were')} accepted by the providers.`
    case 'cancelled':
      return queued === 0
        ? 'Cancelled before anything was queued.'
        : `Cancelled: ${countText(stats.sent)} of ${some(queued, 'push', 'pushes')} had been sent.`
    case 'failed':
      return `Failed: ${state.failure?.message ?? 'the send could not go on.'}${waiting > 0 ? ' Pushes already queued will still go out.' : ''}`
  }
}

function sendingSentence(
  { fannedOut, expected, heldBecause, ratePerSecond, etaSeconds, stats }: State,
  queued: number,
  waiting: number,
  seconds: number | null,
): string {
  const after = seconds === null ? '' : ` after ${spanOf(Math.max(0, seconds))}`
  const rate = ratePerSecond > 0 ? `, ${rateText(ratePerSecond)}` : ''
  if (heldBecause !== null && ratePerSecond === 0 && waiting > 0)
    return `On hold${after}: ${some(waiting, 'push waits', 'pushes wait')}. ${heldBecause} They wait until their time to live ends.`
  const left = etaSeconds !== null && etaSeconds > 0 ? `, about ${spanOf(etaSeconds)} left` : ''
  const ended = stats.sent + stats.failed + stats.skipped
  if (fannedOut === false && expected !== null && expected > 0)
    // 100 % is said only when it is true: the estimate may be a little too small.
    return `Sending: ${percentText(Math.min(ended, Math.floor(expected * 0.99)), expected, 0)} of about ${countText(expected)}${after}${left}${rate}.`
  // A share of what was found so far would fall with each page of devices.
  if (fannedOut === false) {
    if (queued > 0 && waiting === 0) return `Sending: ${some(queued, 'push', 'pushes')} processed${after}; still adding recipients.`
    return `Sending: ${some(queued, 'push', 'pushes')} queued so far${after}${rate}; still adding recipients.`
  }
  return `Sending: ${percentText(ended, queued, 0)}${after}${left}${rate}.`
}
