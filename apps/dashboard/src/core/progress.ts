import type { Platform } from '@herald/contracts/platform'
import type { CampaignStatus, Stats } from '@herald/contracts/stats'
import { countText, percentText } from './number.ts'
import { some, spanOf } from './spans.ts'

type Counters = Pick<Stats, 'queued' | 'sent' | 'failed' | 'skipped'>
export type PlatformProgress = Record<Platform, { queued: number; settled: number }>

/** How far a send has come, as the stream `…/campaigns/:id/progress` tells it. */
export type Progress = {
  status: CampaignStatus
  cancelling: boolean
  stats: Stats
  byPlatform: PlatformProgress
  fannedOut: boolean
  ratePerSecond: number
  etaSeconds: number | null
}

/**
 * The equation of a send: queued = sent + failed + skipped + waiting. Waiting follows from the other four of one reading, so that the
 * numbers add up at every moment, however old the reading is.
 */
export const equationOf = ({ queued, sent, failed, skipped }: Counters): Counters & { waiting: number } => ({
  queued,
  sent,
  failed,
  skipped,
  waiting: queued - sent - failed - skipped,
})

export const isOver = (status: CampaignStatus): boolean => status === 'sent' || status === 'cancelled' || status === 'failed'

/** Whether a send changes by itself in the next seconds, so that it is read again soon. */
export const isUnderWay = ({ status, cancelling }: { status: CampaignStatus; cancelling: boolean }): boolean =>
  status === 'sending' || (status === 'paused' && cancelling)

/** Whether a send is followed by its stream: a paused one too, because it can be resumed at any moment. */
export const isFollowed = (status: CampaignStatus): boolean => status === 'sending' || status === 'paused'

/** A reading of the platforms, with its time by the browser's monotonic clock. */
export type PlatformSample = { at: number; byPlatform: PlatformProgress }

/** The rate of a platform is measured over this long, as the gateway measures the rate of the whole send. */
export const rateOverMs = 10_000

/** The readings with a further one, without those that are too old to count. */
export const withSample = (samples: readonly PlatformSample[], sample: PlatformSample): PlatformSample[] => [
  ...samples.filter(({ at }) => sample.at - at <= rateOverMs),
  sample,
]

/** Outcomes per second of a platform over the readings, oldest first; null while there are not two. */
export function rateOf(samples: readonly PlatformSample[], platform: Platform): number | null {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.at <= oldest.at) return null
  const rate = ((newest.byPlatform[platform].settled - oldest.byPlatform[platform].settled) / (newest.at - oldest.at)) * 1_000
  return Math.max(0, rate)
}

/** "4,980 a second", "0.4 a second". */
export const rateText = (rate: number): string => `${rate >= 10 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1)} a second`

export type State = {
  status: CampaignStatus
  cancelling: boolean
  stats: Counters
  /** Undefined when no stream is followed. */
  fannedOut: boolean | undefined
  ratePerSecond: number
  etaSeconds: number | null
  startedAt: string | null
  settledAt: string | null
  failure: { code: string; message: string } | null
  isRecurring: boolean
}

/** The state of a send in one sentence, without its times, which the page shows in the reader's zone. `now` is in milliseconds. */
export function stateSentence(state: State, now: number): string {
  const { status, cancelling, stats, startedAt, settledAt } = state
  const { queued, waiting } = equationOf(stats)
  const seconds = startedAt === null ? null : ((settledAt === null ? now : Date.parse(settledAt)) - Date.parse(startedAt)) / 1_000
  if (cancelling && !isOver(status))
    return `Cancelling: ${some(waiting, 'push waits', 'pushes wait')} for an outcome. What was handed to a provider is not recalled.`
  switch (status) {
    case 'draft':
      return 'A draft: nothing is sent.'
    case 'scheduled':
      return 'Scheduled: it begins by itself.'
    case 'active':
      return 'Active: each occurrence makes a run, a campaign of its own.'
    case 'paused':
      return state.isRecurring
        ? 'Paused: no run begins until it resumes.'
        : `Paused: ${some(waiting, 'push waits', 'pushes wait')}, and nothing goes out until it resumes.`
    case 'sending':
      return sendingSentence(state, queued, waiting, seconds)
    case 'sent':
      if (state.isRecurring) return 'Over: the last run has begun.'
      return queued === 0
        ? 'Sent to nobody: no device matched.'
        : `Sent${seconds === null ? '' : ` in ${spanOf(seconds)}`}: ${countText(stats.sent)} of ${some(queued, 'push was', 'pushes were')} taken by the providers.`
    case 'cancelled':
      return queued === 0
        ? 'Cancelled before anything was queued.'
        : `Cancelled: ${countText(stats.sent)} of ${some(queued, 'push', 'pushes')} had been sent.`
    case 'failed':
      return `Failed: ${state.failure?.message ?? 'the send could not go on.'}${waiting > 0 ? ' What was queued is still sent.' : ''}`
  }
}

function sendingSentence(
  { fannedOut, ratePerSecond, etaSeconds, stats }: State,
  queued: number,
  waiting: number,
  seconds: number | null,
): string {
  const after = seconds === null ? '' : ` after ${spanOf(Math.max(0, seconds))}`
  const rate = ratePerSecond > 0 ? `, ${rateText(ratePerSecond)}` : ''
  // During the fan-out a share would fall with each page of devices, so none is shown.
  if (fannedOut === false) {
    if (queued > 0 && waiting === 0)
      return `Sending: ${some(queued, 'push has', 'pushes have')} an outcome${after}, and further devices are still to come.`
    return `Sending: ${some(queued, 'push', 'pushes')} queued so far${after}, further devices are still to come${rate}.`
  }
  const left = etaSeconds !== null && etaSeconds > 0 ? `, about ${spanOf(etaSeconds)} left` : ''
  return `Sending: ${percentText(stats.sent + stats.failed + stats.skipped, queued, 0)}${after}${left}${rate}.`
}
