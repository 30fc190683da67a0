/** What the page needs to know of a push that a virtual device got. */
export type ArrivedPush = {
  seq: number
  at: string
  deviceId: string
  msgId: string | null
  shown: { url: string | null } | null
}

/** What a person can do with a notification. */
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
