import type { QuietHours } from '@herald/contracts/administration'
import type { FrozenSend } from '@herald/contracts/batch'
import { dueIn } from '@herald/contracts/local-moment'
import { quietUntil } from '@herald/contracts/quiet-hours'
import type { SendWave } from '@herald/contracts/calls/audience'
import { perPlatform, sumOf, type Platform } from '@herald/contracts/platform'
import { findTimeZone } from '@herald/contracts/text'

type Queued = Record<Platform, number>

/**
 * A wave: its time zones (`''`: users without one) and the instant when it is sent (ISO). `expired`: its pushes are skipped, because the send's time
 * had passed there. `queuedBy`: pushes queued by its end, with earlier waves; absent before.
 */
export type Wave = { at: string; zones: string[]; expired?: true; queuedBy?: Queued }

/** Gives the time zone of a user in the spelling of the JavaScript runtime. A missing or unknown zone becomes the app's default. */
export const zoneOf = (zone: string | null, defaultTimezone: string): string => findTimeZone(zone ?? '') ?? defaultTimezone

export type ToPlan = {
  /** The zones as users have them, each once; `''` for users without one. */
  zones: readonly string[]
  defaultTimezone: string
  userTimezone: FrozenSend['userTimezone']
  /** The quiet hours whose end a send waits for; null when the app has none, or skips the users who are in quiet hours. */
  holdFor: QuietHours | null
  startedAt: Date
}

/**
 * Plans when each time zone is sent to, outside quiet hours (spec: campaigns/waves). Zones with one instant share a wave; a passed instant becomes
 * the start. Expired zones come first. Null when all begin at the start.
 */
export function planWaves({ zones, defaultTimezone, userTimezone, holdFor, startedAt }: ToPlan): Wave[] | null {
  const instantOf = (zone: string): Date | 'expired' => {
    const local = userTimezone ? dueIn(userTimezone, zone, new Date(userTimezone.after)) : startedAt
    if (local === 'expired') return local
    const at = local > startedAt ? local : startedAt
    return (holdFor && quietUntil(holdFor, zone, at)) ?? at
  }
  const waves = new Map<number, string[]>()
  const expired: string[] = []
  for (const zone of zones.toSorted()) {
    const at = instantOf(zoneOf(zone, defaultTimezone))
    if (at === 'expired') expired.push(zone)
    else waves.set(at.getTime(), [...(waves.get(at.getTime()) ?? []), zone])
  }
  const planned = [...waves].toSorted(([one], [other]) => one - other)
  if (expired.length === 0 && planned.every(([at]) => at === startedAt.getTime())) return null
  return [
    // The last wave takes the users who change their zone meanwhile, so it must not be the one that is skipped.
    ...(expired.length > 0 ? [{ at: startedAt.toISOString(), zones: expired, expired: true as const }] : []),
    ...planned.map(([at, ofWave]) => ({ at: new Date(at).toISOString(), zones: ofWave })),
  ]
}

export type CurrentWave = {
  /** The planned instant of the wave, even if its pages are made later. */
  at: Date
  /** The time zones of the wave's users; null when the wave takes all users whom no earlier wave has taken. */
  zones: readonly string[] | null
  /** Whether the send has several waves. Each then claims its devices, so that no device is sent to twice or left out when its user changes zones. */
  claims: boolean
  /** Whether the pushes of the wave are skipped, because the date and time of the send had passed in its zones. */
  expired: boolean
  /** When the next wave begins (ISO); null when this wave is the last. */
  nextAt: string | null
}

/** Gives the wave that a fan-out works on. A send to all users at once counts as one wave, at the start of the send. */
export function currentWave({ waves, wave, startedAt }: { waves: readonly Wave[] | null; wave: number; startedAt: Date }): CurrentWave {
  const current = waves?.[wave]
  if (!waves || !current) return { at: startedAt, zones: null, claims: false, expired: false, nextAt: null }
  const next = waves[wave + 1]
  const { at, zones, expired = false } = current
  return { at: new Date(at), zones: next ? zones : null, claims: waves.length > 1, expired, nextAt: next?.at ?? null }
}

/** Gives the waves, with `queuedBy` added to the wave that has just ended. */
export const wavesAfter = (waves: readonly Wave[], wave: number, queuedBy: Queued): Wave[] =>
  waves.map((one, no) => (no === wave ? { ...one, queuedBy } : one))

/** The columns of a fan-out that say what became of its waves. */
export type WavesOfFanOut = {
  waves: readonly Wave[] | null
  wave: number
  startedAt: Date
  queued: Queued
  state: 'running' | 'waiting' | 'between_waves' | 'fanned_out' | 'failed'
  isCancelled: boolean
}

const none: Queued = perPlatform(() => 0)

/** Gives the waves of a send as the administration shows them (spec: administration/waves). A send to all users at once is one wave. */
export function shownWaves({ waves, wave, startedAt, queued, state, isCancelled }: WavesOfFanOut): SendWave[] {
  const planned: readonly (Omit<Wave, 'zones'> & { zones: string[] | null })[] = waves ?? [{ at: startedAt.toISOString(), zones: null }]
  const stateOf = (no: number): SendWave['state'] => {
    if (no < wave || planned[no]?.queuedBy !== undefined || (state === 'fanned_out' && !isCancelled)) return 'done'
    if (isCancelled || state === 'failed') return 'cancelled'
    return no > wave || state === 'between_waves' ? 'waiting' : 'running'
  }
  /** Gives how many pushes the send had queued at the end of a wave that is over, and for the current wave how many it has queued by now. */
  const queuedBy = (no: number): Queued => (no < 0 ? none : no < wave ? (planned[no]?.queuedBy ?? none) : queued)
  return planned.map(({ at, zones, expired = false }, no) => {
    const byPlatform = perPlatform((platform) => Math.max(0, queuedBy(no)[platform] - queuedBy(no - 1)[platform]))
    const shownZones = zones && zones.map((zone) => (zone === '' ? null : zone))
    return { no: no + 1, at, zones: shownZones, state: stateOf(no), expired, queued: sumOf(byPlatform), byPlatform }
  })
}
