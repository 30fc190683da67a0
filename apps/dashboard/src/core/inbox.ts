import type { Platform } from '@herald/contracts/platform'

/** The fields of a push to a virtual device that the inbox needs. */
export type ArrivedPush = {
  seq: number
  at: string
  deviceId: string
  msgId: string | null
  shown: { url: string | null } | null
}

/** What a user can do with a notification on a device. */
export type Gesture = { kind: 'tap' } | { kind: 'action'; actionId: string } | { kind: 'swipe' }

/** The inbox keeps at most this many pushes, and drops the oldest when more have come. */
export const mostPushes = 500

/** Gives a key that no other push has. `seq` alone is not enough, because the simulator counts from 1 again when it restarts. */
export const pushKey = ({ seq, at }: Pick<ArrivedPush, 'seq' | 'at'>): string => `${at} ${seq}`

/** Joins the pushes of the list and of the stream: each push once, newest first, at most `mostPushes`. */
export function mergePushes<T extends ArrivedPush>(known: readonly T[], arrived: readonly T[]): T[] {
  const byKey = new Map([...known, ...arrived].map((push) => [pushKey(push), push]))
  return [...byKey.values()]
    .toSorted((one, other) => (one.at === other.at ? other.seq - one.seq : one.at < other.at ? 1 : -1))
    .slice(0, mostPushes)
}

/** Groups pushes by device and keeps their order. */
export function pushesByDevice<T extends ArrivedPush>(pushes: readonly T[]): Map<string, T[]> {
  const byDevice = new Map<string, T[]>()
  for (const push of pushes) byDevice.set(push.deviceId, [...(byDevice.get(push.deviceId) ?? []), push])
  return byDevice
}

/**
 * Gives a device's tracking calls for a gesture. A tap: an open, and with a link a click. A button: an open and a click with its id. A swipe: a
 * dismissal. None without a msgId or anything shown.
 */
export function reportsOf({ msgId, shown }: ArrivedPush, gesture: Gesture): string[] {
  if (msgId === null || shown === null) return []
  const id = encodeURIComponent(msgId)
  if (gesture.kind === 'swipe') return [`/v1/e/x/${id}`]
  if (gesture.kind === 'action') return [`/v1/e/o/${id}`, `/v1/e/c/${id}?action=${encodeURIComponent(gesture.actionId)}`]
  return [`/v1/e/o/${id}`, ...(shown.url === null ? [] : [`/v1/e/c/${id}`])]
}

/** The fields of a virtual device that the inbox needs. */
export type WallDevice = {
  id: string
  platform: Platform
  name: string | null
  byHand: boolean
  subscriptionId: string | null
  behaviour: { answer: string; retryAfterSeconds: number | null; delayMs: number | null }
  environment: string
}

type WallPush = ArrivedPush & Pick<WallDevice, 'platform' | 'environment' | 'subscriptionId'>

/**
 * Gives the devices with their pushes: devices made by hand first, then those with the newest pushes. A device that got a push is included even when
 * the page of the list with this device was not read.
 */
export function wallOf<D extends WallDevice, P extends WallPush>(
  devices: readonly D[],
  pushes: readonly P[],
): { device: D | WallDevice; pushes: P[] }[] {
  const byDevice = pushesByDevice(pushes)
  const known = new Set(devices.map(({ id }) => id))
  const others = [...byDevice].flatMap(([id, [push]]): WallDevice[] => {
    if (known.has(id) || push === undefined) return []
    const { platform, environment, subscriptionId } = push
    const behaviour = { answer: 'ok', retryAfterSeconds: null, delayMs: null }
    return [{ id, platform, environment, subscriptionId, name: null, byHand: false, behaviour }]
  })
  const lastAt = (id: string): string => byDevice.get(id)?.[0]?.at ?? ''
  return [...devices, ...others]
    .map((device) => ({ device, pushes: byDevice.get(device.id) ?? [] }))
    .toSorted(({ device: one }, { device: other }) => {
      if (one.byHand !== other.byHand) return one.byHand ? -1 : 1
      return one.byHand ? 0 : compare(lastAt(other.id), lastAt(one.id))
    })
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
