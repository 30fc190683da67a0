import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { ExplainedStep } from '@herald/contracts/explain'
import { quietUntil } from '@herald/contracts/quiet-hours'
import type { Segment } from '@herald/contracts/segment'
import { findTimeZone } from '@herald/contracts/text'
import { rulesFor } from './delivery-rules.ts'
import type { FanOutSoFar } from './explain-push.ts'
import { planWaves, zoneOf, type Wave } from './waves.ts'

/** A send as it is explained. `begins`: it was not sent yet, and is taken as if it were now. */
export type SendToExplain = {
  send: FrozenSend
  target: FrozenTarget
  /** What a segment as the target compiles to; null: it is none, or does not compile any more. */
  segment: Segment | null
  /** Frozen at the first page, or the app's of now. */
  settings: AppSettings
  begins: boolean
  /** When its first page was cut, or, where that is not kept any more, when campaigns says that it began; null: it has not. */
  startedAt: Date | null
  fanOut: (FanOutSoFar & { settled_at: Date | null; waves: Wave[] | null; past_waves: Wave[] | null }) | undefined
  now: Date
}

/** The wave that takes a user's zone; the last takes whoever has a zone that none was planned for. */
export function ownWave(waves: readonly Wave[], zone: string): number {
  const planned = waves.findIndex(({ zones }) => zones.includes(zone))
  return planned === -1 ? Math.max(0, waves.length - 1) : planned
}

type OwnWave = { waves: readonly Wave[]; own: number; zone: string; isAhead: boolean }

export function waveSteps(of: SendToExplain, { waves, own, zone, isAhead }: OwnWave): ExplainedStep[] {
  const { send, settings, startedAt, now } = of
  const zoneKnown = findTimeZone(zone) !== undefined
  const step = {
    step: 'wave',
    result: isAhead ? 'wait' : 'pass',
    basis: 'now',
    zone: zoneOf(zone, settings.defaultTimezone),
    zoneKnown,
  } as const
  const wave = waves[own]
  if (wave) return [{ ...step, at: wave.at, wave: own + 1, of: waves.length }]
  const { holdFor } = rulesFor(send, settings)
  if (startedAt || (!send.userTimezone && !holdFor)) return []
  const planned = planWaves({
    zones: [zone],
    defaultTimezone: settings.defaultTimezone,
    userTimezone: send.userTimezone,
    holdFor,
    startedAt: now,
  })
  return [{ ...step, result: planned ? 'wait' : 'pass', at: planned?.[0]?.at ?? now.toISOString(), wave: null, of: null }]
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

/** What used the cap up when the send was cut: what came within the window before it began, or since, and not what came after it was over. */
export function capSteps(
  { send, settings, fanOut, startedAt, now }: SendToExplain,
  claims: readonly { campaignId: string; at: Date }[],
): ExplainedStep[] {
  const { frequencyCap } = rulesFor(send, settings)
  if (!frequencyCap) return []
  const { max, windowSeconds } = frequencyCap
  const from = (startedAt ?? now).getTime() - windowSeconds * 1000
  const to = (fanOut?.settled_at ?? now).getTime()
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
