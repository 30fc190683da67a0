import { LRUCache } from 'lru-cache'

/** A cache of this process with a value for each app. */
export type AppMemory<Value> = {
  /** Gives the value of an app, or undefined when there is no such app. */
  of(appId: string): Promise<Value | undefined>
  /** Forgets the value of an app that has changed, so that it is read again. */
  forgetApp(appId: string): void
  /** Forgets every app. Called after NATS was away, because this process may have missed which apps changed meanwhile. */
  forgetAll(): void
}

const mostRemembered = 10_000

/**
 * Remembers for `ttlSeconds` what `read` gives of each app, but not that an app does not exist. Requests that need the same app at once share one
 * read.
 */
export function rememberByApp<Value>(read: (appId: string) => Promise<Value | undefined>, ttlSeconds: number): AppMemory<Value> {
  const known = new LRUCache<string, { value: Value }>({ max: mostRemembered, ttl: Math.max(1, ttlSeconds * 1000) })
  const asked = new Map<string, Promise<Value | undefined>>()

  const ask = (appId: string): Promise<Value | undefined> => {
    const answer: Promise<Value | undefined> = read(appId)
      .then((value) => {
        // `forgetApp` removes reads under way from `asked`: their values may be older than the change, so they are not remembered.
        if (value !== undefined && ttlSeconds > 0 && asked.get(appId) === answer) known.set(appId, { value })
        return value
      })
      .finally(() => {
        if (asked.get(appId) === answer) asked.delete(appId)
      })
    asked.set(appId, answer)
    return answer
  }

  return {
    async of(appId) {
      const remembered = known.get(appId)
      return remembered ? remembered.value : (asked.get(appId) ?? ask(appId))
    },
    forgetApp(appId) {
      asked.delete(appId)
      known.delete(appId)
    },
    forgetAll() {
      asked.clear()
      known.clear()
    },
  }
}
