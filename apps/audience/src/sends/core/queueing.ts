import type { QuietHours } from '@herald/contracts/administration'
import type { FrozenSend } from '@herald/contracts/batch'
import { isInSample } from '@herald/contracts/experiment'
import type { SkipReason } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { quietUntil } from '@herald/contracts/quiet-hours'
import { zoneOf } from './waves.ts'

/** A device of a page that the target means. `zone`: its user's; null also when nobody asked for it. */
export type PageDevice = { id: string; userId: string; platform: Platform; zone: string | null }

/** A push to queue. `skip`: why it ends at once; it is counted like any other. */
export type Queued = { subscriptionId: string; userId: string; platform: Platform; skip: SkipReason | null }

/** Whether a user's part of the audience is this send's: of an experiment its sample, of a winner what the sample left. */
export const isMeant = ({ campaignId, experiment, remainder }: FrozenSend, userId: string): boolean =>
  (!experiment || isInSample(experiment.sampleRate, campaignId, userId)) &&
  (!remainder || !isInSample(remainder.sampleRate, remainder.of, userId))

export type Quiet = { skipIn: QuietHours | null; defaultTimezone: string; at: Date }

/** Why a device that is meant is skipped at once, or null. A browser must show something for every push, so a silent one is skipped there. */
export function skipRule(
  silent: boolean,
  { skipIn, defaultTimezone, at }: Quiet,
): (device: Pick<PageDevice, 'platform' | 'zone'>) => 'silent_web' | 'quiet_hours' | null {
  const quietZones = new Map<string | null, boolean>()
  const isQuiet = (zone: string | null): boolean => {
    if (!skipIn) return false
    const known = quietZones.get(zone)
    if (known !== undefined) return known
    const quiet = quietUntil(skipIn, zoneOf(zone, defaultTimezone), at) !== undefined
    quietZones.set(zone, quiet)
    return quiet
  }
  return ({ platform, zone }) => {
    if (silent && platform === 'web') return 'silent_web'
    return isQuiet(zone) ? 'quiet_hours' : null
  }
}

/** What becomes of devices that are meant. */
export function queue(devices: readonly PageDevice[], silent: boolean, quiet: Quiet): Queued[] {
  const whySkipped = skipRule(silent, quiet)
  return devices.map((device) => ({
    subscriptionId: device.id,
    userId: device.userId,
    platform: device.platform,
    skip: whySkipped(device),
  }))
}
