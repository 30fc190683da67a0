import { providerKinds, type ProviderCredentials, type ProviderKind } from '@herald/contracts/app'
import { appChanged, readCredentials } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'
import { LRUCache } from 'lru-cache'

/** A change of credentials is broadcast and works at once. A process that misses the broadcast notices the change within a minute. */
const keptMs = 60_000

export type CredentialsReader = {
  /** Gives an app's credentials for a provider; null when it has none. Faults: queue_unavailable, database_unavailable. */
  of(appId: string, kind: ProviderKind): Promise<ProviderCredentials | null>
  /** Forgets credentials that were refused: the next read asks the gateway again. */
  forget(appId: string, kind: ProviderKind): void
}

/** Reads credentials from the gateway and keeps them for a minute, or until the gateway says that the app has changed. */
export function openCredentialsReader(bus: Bus): CredentialsReader {
  type Reading = Promise<ProviderCredentials | null>
  const kept = new LRUCache<string, Reading>({ max: 1_000, ttl: keptMs })
  const keyOf = (appId: string, kind: ProviderKind) => `${appId}/${kind}`

  bus.listen(appChanged, ({ appId }) => {
    for (const kind of providerKinds) kept.delete(keyOf(appId, kind))
  })
  return {
    of(appId, kind) {
      const key = keyOf(appId, kind)
      const known = kept.get(key)
      if (known) return known
      // The promise is kept: batches that come together share one call, and a change meanwhile forgets it.
      const reading: Reading = bus.call(readCredentials, { appId, kind }).then(({ credentials }) => credentials)
      kept.set(key, reading)
      reading.catch(() => {
        if (kept.peek(key) === reading) kept.delete(key)
      })
      return reading
    },
    forget: (appId, kind) => void kept.delete(keyOf(appId, kind)),
  }
}
