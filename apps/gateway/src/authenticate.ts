import { parseApiKey } from '@herald/auth/api-key'
import type { Log } from '@herald/service/log'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { KeyUses, NotedKey } from './apps/key-uses.ts'
import { findAdminKey } from './apps/store/admin-keys.ts'
import { findApiKey } from './apps/store/api-keys.ts'
import type { VerifiedAdminKey, VerifiedKey } from './core/verified-key.ts'
import type { Tables } from './store/tables.ts'

export type Keys<Key> = {
  /** Gives the key with this text, or undefined when there is no such key. */
  verify(text: string): Promise<Key | undefined>
  /** Forgets a revoked key, so that it stops working in this process at once. */
  forgetKey(keyId: string): void
  forgetApp(appId: string): void
  /** Forgets every key. Called after NATS was away, because this process may have missed which keys were revoked meanwhile. */
  forgetAll(): void
}
export type ApiKeys = Keys<VerifiedKey>
export type AdminKeys = Keys<VerifiedAdminKey>

/**
 * Each cache below holds at most this many keys, about 5 MB a cache. Valid and invalid keys have separate caches, so a flood of invalid keys does not
 * push valid ones out.
 */
const mostRemembered = 10_000
const longestRefusalSeconds = 10

type Needs = { db: Kysely<Tables>; uses: Pick<KeyUses, 'note'> }

/** Verifies the API keys of apps. */
export const openApiKeys = ({ db, uses }: Needs, ttlSeconds: number): ApiKeys => openKeys((hash) => findApiKey(db, hash), uses, ttlSeconds)

/** Verifies the keys of the administration (spec: administration/admin-keys). */
export const openAdminKeys = ({ db, uses }: Needs, ttlSeconds: number): AdminKeys =>
  openKeys((hash) => findAdminKey(db, hash), uses, ttlSeconds)

/**
 * Verifies keys that `find` knows by their hash. Each answer is remembered for `ttlSeconds`, that of no such key for 10 s at most (spec:
 * limits/key-revoked). Simultaneous requests with one key that is not remembered share one query.
 */
function openKeys<Key extends { keyId: string; appId: string }>(
  find: (hash: string) => Promise<Key | undefined>,
  uses: Needs['uses'],
  ttlSeconds: number,
): Keys<Key> {
  const remember = ttlSeconds > 0
  const known = new LRUCache<string, Key & NotedKey>({ max: mostRemembered, ttl: Math.max(1, ttlSeconds * 1000) })
  const refused = new LRUCache<string, true>({ max: mostRemembered, ttl: Math.max(1, Math.min(ttlSeconds, longestRefusalSeconds) * 1000) })
  /**
   * The hashes of working keys, by the key's text. They are remembered, because for a key that is in the cache computing the hash would be the most
   * expensive part of verifying it.
   */
  const hashes = new LRUCache<string, string>({ max: mostRemembered })
  const asking = new Map<string, Promise<(Key & NotedKey) | undefined>>()

  const ask = (hash: string): Promise<(Key & NotedKey) | undefined> => {
    const answer: Promise<(Key & NotedKey) | undefined> = find(hash)
      .then((key: (Key & NotedKey) | undefined) => {
        // `forget` removes look-ups under way from `asking`: their answers may be older than the revocation, so they are not remembered.
        if (remember && asking.get(hash) === answer) {
          if (key) known.set(hash, key)
          else refused.set(hash, true)
        }
        if (key) uses.note(key)
        return key
      })
      .finally(() => {
        if (asking.get(hash) === answer) asking.delete(hash)
      })
    asking.set(hash, answer)
    return answer
  }

  const forget = (isMeant: (key: Key) => boolean) => {
    asking.clear()
    for (const [hash, key] of known.entries()) if (isMeant(key)) known.delete(hash)
  }

  return {
    async verify(text) {
      const hash = hashes.get(text) ?? parseApiKey(text)?.hash
      if (hash === undefined) return undefined
      const key = known.get(hash)
      if (!key) return refused.has(hash) ? undefined : (asking.get(hash) ?? ask(hash))
      hashes.set(text, hash)
      uses.note(key)
      return key
    },
    forgetKey: (keyId) => forget((key) => key.keyId === keyId),
    forgetApp: (appId) => forget((key) => key.appId === appId),
    forgetAll: () => forget(() => true),
  }
}

/** An administration token with fewer characters could be guessed, so it counts as unset. */
const shortestAdminToken = 32

/** Gives the administration token, or undefined when it is unset or too short. Without a token there is no administration API. */
export function usableAdminToken(token: string | undefined, log: Pick<Log, 'warn'>): string | undefined {
  if (token === undefined || token.length >= shortestAdminToken) return token
  log.warn({ shortest: shortestAdminToken }, 'ADMIN_TOKEN is too short: /v1/admin answers 404')
  return undefined
}
