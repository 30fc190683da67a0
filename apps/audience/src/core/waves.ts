import type { QuietHours } from '@herald/contracts/administration'
import type { FrozenSend } from '@herald/contracts/batch'
import { nextInstantOf } from '@herald/contracts/local-time'
import { quietUntil } from '@herald/contracts/quiet-hours'
import { findTimeZone } from '@herald/contracts/text'

/** The users of some zones, and when they are sent to (ISO). `''` are users without a zone. */
export type Wave = { at: string; zones: string[] }

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
