import { LRUCache } from 'lru-cache'

/** What this process remembers of apps, until they change. */
export type AppMemory<Value> = {
  /** The value of an app, or undefined when there is no such app. */
  of(appId: string): Promise<Value | undefined>
  /** Forgets an app that has changed: its value is read again. */
  forgetApp(appId: string): void
  /** Forgets every app: after NATS was away nobody knows which of them changed meanwhile. */
  forgetAll(): void
}

const mostRemembered = 10_000

/** Remembers what `read` gives of each app for a while, as keys are remembered (authenticate.ts). Requests that need the same app at once share one read. */
export function rememberByApp<Value>(read: (appId: string) => Promise<Value | undefined>, ttlSeconds: number): AppMemory<Value> {
  const known = new LRUCache<string, { value: Value }>({ max: mostRemembered, ttl: Math.max(1, ttlSeconds * 1000) })
  const reading = new Map<string, Promise<Value | undefined>>()

  const ask = (appId: string): Promise<Value | undefined> => {
    const answer: Promise<Value | undefined> = read(appId)
      .then((value) => {
        // Forgetting an app takes its read out of the map: what it gives may be older than the change, and is not remembered.
        if (value !== undefined && ttlSeconds > 0 && reading.get(appId) === answer) known.set(appId, { value })
        return value
      })
      .finally(() => {
        if (reading.get(appId) === answer) reading.delete(appId)
      })
    reading.set(appId, answer)
    return answer
  }

  return {
    async of(appId) {
      const remembered = known.get(appId)
      return remembered ? remembered.value : (reading.get(appId) ?? ask(appId))
    },
    forgetApp(appId) {
      reading.delete(appId)
      known.delete(appId)
    },
    forgetAll() {
      reading.clear()
      known.clear()
    },
  }
}
