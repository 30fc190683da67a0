import type { QuietHours } from '@herald/contracts/administration'
import type { FrozenSend } from '@herald/contracts/batch'
import { nextInstantOf } from '@herald/contracts/local-time'
import { quietUntil } from '@herald/contracts/quiet-hours'
import type { SendWave } from '@herald/contracts/calls/audience'
import { platforms, type Platform } from '@herald/contracts/platform'
import { findTimeZone } from '@herald/contracts/text'

/** Pushes that a send has queued, by platform. */
type Queued = Record<Platform, number>

/**
 * The users of some zones, and when they are sent to (ISO). `''` are users without a zone. `queuedBy`: what the send had queued when the wave was
 * over, all waves before it included; absent until then, and of sends that began before it was noted.
 */
export type Wave = { at: string; zones: string[]; queuedBy?: Queued }

/** A user's zone as the runtime knows it: nobody's and unknown ones are the app's default. */
export const zoneOf = (zone: string | null, defaultTimezone: string): string => findTimeZone(zone ?? '') ?? defaultTimezone

export type ToPlan = {
  /** As users have them, each once; `''` for those without. */
  zones: readonly string[]
  defaultTimezone: string
  userTimezone: FrozenSend['userTimezone']
  /** Quiet hours to wait for the end of; null: none, or others than `hold`. */
  holdFor: QuietHours | null
  startedAt: Date
}

/**
 * When each zone is sent to (spec: campaigns/waves): at its next local time, and not in its quiet hours. Zones of one instant are one wave;
 * instants that have passed are now. In order; null when everybody is sent to now.
 */
export function planWaves({ zones, defaultTimezone, userTimezone, holdFor, startedAt }: ToPlan): Wave[] | null {
  const instantOf = (zone: string): Date => {
    const local = userTimezone ? nextInstantOf(userTimezone.localTime, zone, new Date(userTimezone.after)) : startedAt
    const at = local > startedAt ? local : startedAt
    return (holdFor && quietUntil(holdFor, zone, at)) ?? at
  }
  const waves = new Map<number, string[]>()
  for (const zone of zones.toSorted()) {
    const at = instantOf(zoneOf(zone, defaultTimezone)).getTime()
    waves.set(at, [...(waves.get(at) ?? []), zone])
  }
  const planned = [...waves].toSorted(([one], [other]) => one - other)
  if (planned.every(([at]) => at === startedAt.getTime())) return null
  return planned.map(([at, ofWave]) => ({ at: new Date(at).toISOString(), zones: ofWave }))
}

export type CurrentWave = {
  /** The instant it stands for, whenever its pages are cut. */
  at: Date
  /** Whose users it takes; null: everybody's that no wave before has taken. */
  zones: readonly string[] | null
  /** Several waves: who is taken claims it, so that nobody is taken twice or forgotten, whatever zone they move to meanwhile. */
  claims: boolean
  /** When the next begins (ISO), or null. */
  nextAt: string | null
}

/** The wave that a fan-out is at. A send to everybody at once is one wave, at its start. */
export function currentWave({ waves, wave, started_at }: { waves: readonly Wave[] | null; wave: number; started_at: Date }): CurrentWave {
  const current = waves?.[wave]
  if (!waves || !current) return { at: started_at, zones: null, claims: false, nextAt: null }
  const next = waves[wave + 1]
  return { at: new Date(current.at), zones: next ? current.zones : null, claims: waves.length > 1, nextAt: next?.at ?? null }
}

/** The waves with what the send had queued when one of them was over. */
export const wavesAfter = (waves: readonly Wave[], wave: number, queuedBy: Queued): Wave[] =>
  waves.map((one, no) => (no === wave ? { ...one, queuedBy } : one))

/** A fan-out's row, as far as it says what became of its waves. */
export type WavesOfFanOut = {
  waves: readonly Wave[] | null
  wave: number
  startedAt: Date
  queued: Queued
  state: 'running' | 'waiting' | 'between_waves' | 'fanned_out' | 'failed'
  isCancelled: boolean
}

const none: Queued = { ios: 0, android: 0, web: 0 }

/** The waves of a send as administration shows them (spec: administration/waves). A send to everybody at once is one wave. */
export function shownWaves({ waves, wave, startedAt, queued, state, isCancelled }: WavesOfFanOut): SendWave[] {
  const planned: readonly (Omit<Wave, 'zones'> & { zones: string[] | null })[] = waves ?? [{ at: startedAt.toISOString(), zones: null }]
  const stateOf = (no: number): SendWave['state'] => {
    if (no < wave || planned[no]?.queuedBy !== undefined || (state === 'fanned_out' && !isCancelled)) return 'done'
    if (isCancelled || state === 'failed') return 'cancelled'
    return no > wave || state === 'between_waves' ? 'waiting' : 'running'
  }
  /** What the send had queued with the end of a wave, or by now. */
  const queuedBy = (no: number): Queued => (no < 0 ? none : no < wave ? (planned[no]?.queuedBy ?? none) : queued)
  return planned.map(({ at, zones }, no) => {
    const byPlatform = { ...none }
    for (const platform of platforms) byPlatform[platform] = Math.max(0, queuedBy(no)[platform] - queuedBy(no - 1)[platform])
    const sum = platforms.reduce((all, platform) => all + byPlatform[platform], 0)
    return { no: no + 1, at, zones: zones && zones.map((zone) => (zone === '' ? null : zone)), state: stateOf(no), queued: sum, byPlatform }
  })
}
