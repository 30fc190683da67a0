/**
 * How many messages a project may send: a token bucket that holds a minute's worth and fills evenly
 * (firebase.google.com/docs/cloud-messaging/throttling-and-quotas: minutes are not aligned to the clock, and refused messages do not count).
 */
export type Quota = {
  /** Takes one message of a project out of its bucket; false when the bucket is empty. Always true while no quota is set. */
  take(projectId: string): boolean
  /** Sets the quota of every project, and fills the buckets. Null takes it away. */
  set(perMinute: number | null): void
  /** How many messages were refused since the quota was set. */
  refused(): number
}

export function openQuota(now: () => number = () => performance.now()): Quota {
  let perMinute: number | null = null
  let refused = 0
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    take(projectId) {
      if (perMinute === null) return true
      const at = now()
      const bucket = buckets.get(projectId) ?? { left: perMinute, at }
      bucket.left = Math.min(perMinute, bucket.left + ((at - bucket.at) / 60_000) * perMinute)
      bucket.at = at
      buckets.set(projectId, bucket)
      if (bucket.left < 1) {
        refused += 1
        return false
      }
      bucket.left -= 1
      return true
    },
    set(wanted) {
      perMinute = wanted
      refused = 0
      buckets.clear()
    },
    refused: () => refused,
  }
}
