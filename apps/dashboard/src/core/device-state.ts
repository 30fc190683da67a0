import type { Platform } from '@herald/contracts/platform'
import { answererNames } from './platform-names.ts'

/** The fields of a device from which its state follows. */
export type DeviceFacts = { id: string; optedIn: boolean; invalidatedAt: string | null; lastSessionAt: string | null }
export type PushFacts = {
  subscriptionId: string
  outcome: string
  code: string | null
  providerCode: string | null
  settledAt: string | null
  campaignId: string
}

export type DeviceState = {
  kind: 'good' | 'off' | 'bad'
  word: 'Reachable' | 'Opted out' | 'Invalid token'
  /** Why the device is in this state; null when there is nothing to add. */
  why: string | null
  at: string | null
  campaignId: string | null
}

/** Only these failure codes invalidate a device. */
const deadly: ReadonlySet<string> = new Set(['token_dead', 'token_invalid', 'sender_mismatch', 'encryption_failed'])

/**
 * Gives a device's state and its reason. The API gives only the time at which an answer invalidated it. So the reason is the answer to the failed
 * push of `pushes` that ended nearest, within a minute.
 */
export function stateOfDevice(device: DeviceFacts & { platform: Platform }, pushes: readonly PushFacts[]): DeviceState {
  if (device.invalidatedAt !== null) {
    const push = pushThatFoundOut(device.id, device.invalidatedAt, pushes)
    const word = push?.providerCode || push?.code
    const why = word ? `${answererNames[device.platform]} answered ${word}.` : 'The provider’s answer is not among the newest pushes.'
    return { kind: 'bad', word: 'Invalid token', why, at: device.invalidatedAt, campaignId: push?.campaignId ?? null }
  }
  if (!device.optedIn)
    return { kind: 'off', word: 'Opted out', why: 'Opted out by the user, the app or a colleague.', at: null, campaignId: null }
  const why = device.lastSessionAt === null ? 'No sessions yet.' : null
  return { kind: 'good', word: 'Reachable', why, at: null, campaignId: null }
}

/**
 * A push counts as the one that invalidated its device when its end and the invalidation are at most this far apart. The times differ, because
 * audience and tracker write them in separate transactions.
 */
const toleranceMs = 60_000

function pushThatFoundOut(subscriptionId: string, invalidatedAt: string, pushes: readonly PushFacts[]): PushFacts | undefined {
  const distance = ({ settledAt }: PushFacts) => Math.abs(Date.parse(settledAt ?? '') - Date.parse(invalidatedAt))
  return pushes
    .filter((push) => push.subscriptionId === subscriptionId && push.outcome === 'failed' && deadly.has(push.code ?? ''))
    .filter((push) => distance(push) <= toleranceMs)
    .toSorted((one, other) => distance(one) - distance(other))[0]
}

/** Gives the time and the day that a clock in a time zone shows, and the zone's distance from UTC; undefined for an unknown zone. */
export function clockIn(zone: string, at: Date): { time: string; day: string; offset: string } | undefined {
  try {
    const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
    const offset = format({ timeZoneName: 'longOffset' })
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value
    return {
      time: format({ hour: '2-digit', minute: '2-digit' }).format(at),
      day: format({ weekday: 'long', day: 'numeric', month: 'long' }).format(at),
      offset: (offset ?? 'GMT').replace('GMT', 'UTC'),
    }
  } catch {
    return undefined
  }
}
