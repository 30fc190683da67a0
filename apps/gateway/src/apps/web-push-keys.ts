import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { findProvider } from './store/providers.ts'
import type { Tables } from '../store/tables.ts'

/** The public key that an app's pages subscribe with. */
export type WebPushKeys = {
  /** Null: Web Push is not configured for this app. */
  of(appId: string): Promise<string | null>
  /** The app has changed: its key is read again. */
  forgetApp(appId: string): void
  /** What was told while nobody could hear it may be anything. */
  forgetAll(): void
}

const mostRemembered = 10_000

/** Reads apps' public VAPID keys and remembers each for a while, as keys are remembered (authenticate.ts): every page that starts may ask. */
export function openWebPushKeys(db: Kysely<Tables>, ttlSeconds: number): WebPushKeys {
  const known = new LRUCache<string, { publicKey: string | null }>({ max: mostRemembered, ttl: Math.max(1, ttlSeconds * 1000) })
  const asking = new Map<string, Promise<string | null>>()

  const ask = (appId: string): Promise<string | null> => {
    const answer: Promise<string | null> = findProvider(db, appId, 'webpush')
      .then((provider) => {
        const publicKey = provider?.settings.publicKey ?? null
        // Whoever forgot the app meanwhile has taken this look-up out of the map: its answer may be what was before the change.
        if (ttlSeconds > 0 && asking.get(appId) === answer) known.set(appId, { publicKey })
        return publicKey
      })
      .finally(() => {
        if (asking.get(appId) === answer) asking.delete(appId)
      })
    asking.set(appId, answer)
    return answer
  }

  return {
    async of(appId) {
      const remembered = known.get(appId)
      return remembered ? remembered.publicKey : (asking.get(appId) ?? ask(appId))
    },
    forgetApp(appId) {
      asking.delete(appId)
      known.delete(appId)
    },
    forgetAll() {
      asking.clear()
      known.clear()
    },
  }
}
