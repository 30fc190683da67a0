/** What the page needs to know of a push that a virtual device got. */
export type ArrivedPush = {
  seq: number
  at: string
  deviceId: string
  msgId: string | null
  shown: { url: string | null } | null
}

/** What a user can do with a notification. */
export type Gesture = { kind: 'tap' } | { kind: 'action'; actionId: string } | { kind: 'swipe' }

/** Pushes that the page holds at most; older ones stay in the simulator's record. */
export const mostPushes = 500

/** A push by a name that stays its own: `seq` begins again at 1 when the simulator restarts. */
export const pushKey = ({ seq, at }: Pick<ArrivedPush, 'seq' | 'at'>): string => `${at} ${seq}`

/** Pushes from the list and from the stream as one list, each once, newest first. */
export function mergePushes<T extends ArrivedPush>(known: readonly T[], arrived: readonly T[]): T[] {
  const byKey = new Map([...known, ...arrived].map((push) => [pushKey(push), push]))
  return [...byKey.values()]
    .toSorted((one, other) => (one.at === other.at ? other.seq - one.seq : one.at < other.at ? 1 : -1))
    .slice(0, mostPushes)
}

/** The pushes of each device, in the order given. */
export function pushesByDevice<T extends ArrivedPush>(pushes: readonly T[]): Map<string, T[]> {
  const byDevice = new Map<string, T[]>()
  for (const push of pushes) byDevice.set(push.deviceId, [...(byDevice.get(push.deviceId) ?? []), push])
  return byDevice
}

/**
 * The tracking calls that a device makes for a gesture, in their order: a tap opens, and clicks when there is a link; an action opens and
 * clicks, and says which it was; a swipe dismisses. A push without a message id has nothing to report.
 */
export function reportsOf({ msgId, shown }: ArrivedPush, gesture: Gesture): string[] {
  if (msgId === null || shown === null) return []
  const id = encodeURIComponent(msgId)
  if (gesture.kind === 'swipe') return [`/v1/e/x/${id}`]
  if (gesture.kind === 'action') return [`/v1/e/o/${id}`, `/v1/e/c/${id}?action=${encodeURIComponent(gesture.actionId)}`]
  return [`/v1/e/o/${id}`, ...(shown.url === null ? [] : [`/v1/e/c/${id}`])]
}

/** What the wall needs to know of a device. */
export type WallDevice = {
  id: string
  platform: 'ios' | 'android' | 'web'
  name: string | null
  byHand: boolean
  subscriptionId: string | null
  behaviour: { answer: string; retryAfterSeconds: number | null; delayMs: number | null }
  environment: string
}

type WallPush = ArrivedPush & Pick<WallDevice, 'platform' | 'environment' | 'subscriptionId'>

/**
 * The devices with their pushes: those made by hand first, then by what arrived last. A device that got a push and is not on the pages of the list
 * that were read is on the wall too.
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
