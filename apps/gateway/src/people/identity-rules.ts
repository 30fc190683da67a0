import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { findIdentityRule } from '../apps/store/apps.ts'
import type { Tables } from '../store/tables.ts'

/** Whether an app checks identity tokens, and the sealed secret that they are signed with. */
export type IdentityRule = { required: boolean; sealed_identity_secret: string | null }

export type IdentityRules = {
  /** An app's rule, or undefined when there is no such app. */
  of(appId: string): Promise<IdentityRule | undefined>
  /** The app has changed: its rule is read again. */
  forgetApp(appId: string): void
  /** What was told while nobody could hear it may be anything. */
  forgetAll(): void
}

const mostRemembered = 10_000

/**
 * Reads apps' identity rules and remembers each for a while, as keys are remembered (authenticate.ts): every registration and login of a
 * named user asks, and an app changes its rule a few times in its life.
 */
export function openIdentityRules(db: Kysely<Tables>, ttlSeconds: number): IdentityRules {
  const known = new LRUCache<string, IdentityRule>({ max: mostRemembered, ttl: Math.max(1, ttlSeconds * 1000) })
  const asking = new Map<string, Promise<IdentityRule | undefined>>()

  const ask = (appId: string): Promise<IdentityRule | undefined> => {
    const answer: Promise<IdentityRule | undefined> = findIdentityRule(db, appId)
      .then((rule) => {
        // Whoever forgot the app meanwhile has taken this look-up out of the map: its answer may be what was before the change.
        if (rule && ttlSeconds > 0 && asking.get(appId) === answer) known.set(appId, rule)
        return rule
      })
      .finally(() => {
        if (asking.get(appId) === answer) asking.delete(appId)
      })
    asking.set(appId, answer)
    return answer
  }

  return {
    async of(appId) {
      return known.get(appId) ?? asking.get(appId) ?? ask(appId)
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
