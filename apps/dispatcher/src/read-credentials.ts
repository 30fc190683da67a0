import { providerKinds, type ProviderCredentials, type ProviderKind } from '@herald/contracts/app'
import { appChanged, readCredentials } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'
import { LRUCache } from 'lru-cache'

/**
 * Credentials are remembered for this long. A change is broadcast and has an effect at once, and a process that misses the broadcast notices the
 * change when this time is over.
 */
const keptMs = 60_000

export type CredentialsReader = {
  /** Gives an app's credentials for a provider; null when the app has none. Faults: queue_unavailable, database_unavailable. */
  of(appId: string, kind: ProviderKind): Promise<ProviderCredentials | null>
  /** Forgets credentials that a provider refused, so that the next read asks the gateway. */
  forget(appId: string, kind: ProviderKind): void
}

/** Reads credentials from the gateway and remembers them for a minute, or until the gateway broadcasts that the app has changed. */
export function openCredentialsReader(bus: Bus): CredentialsReader {
  type Answer = Promise<ProviderCredentials | null>
  const kept = new LRUCache<string, Answer>({ max: 1_000, ttl: keptMs })
  const keyOf = (appId: string, kind: ProviderKind) => `${appId}/${kind}`

  bus.listen(appChanged, ({ appId }) => {
    for (const kind of providerKinds) kept.delete(keyOf(appId, kind))
  })
  return {
    of(appId, kind) {
      const key = keyOf(appId, kind)
      const known = kept.get(key)
      if (known) return known
      // Remembers the promise and not its value: batches that begin together share one call, and a change during the call forgets the answer.
      const answer: Answer = bus.call(readCredentials, { appId, kind }).then(({ credentials }) => credentials)
      kept.set(key, answer)
      answer.catch(() => {
        if (kept.peek(key) === answer) kept.delete(key)
      })
      return answer
    },
    forget: (appId, kind) => void kept.delete(keyOf(appId, kind)),
  }
}
