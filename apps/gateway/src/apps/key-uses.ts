import type { Kysely } from 'kysely'
import { noteKeyUses } from './store/api-keys.ts'
import type { Tables } from '../store/tables.ts'

/** Notes which API keys are used, and writes the hour of each key's last use, which the administration shows. */
export type KeyUses = {
  /** Notes in memory that a request came with this key. `write` stores the use later, so that no request waits for it. */
  note(key: NotedKey): void
  /** Writes the uses that were noted since the last call, and gives the number of keys. Uses that cannot be written are written by a later call. */
  write(db: Kysely<Tables>): Promise<number>
}

/** A verified key in the cache, with the hour in which its use was last noted. */
export type NotedKey = { readonly keyId: string; notedHour?: number }

const hourMs = 3_600_000
/**
 * At most this many keys wait in memory for their use to be written. Until they are written, the use of any further key is not noted; a later request
 * with that key notes it.
 */
const mostWaiting = 10_000
const writtenAtOnce = 1_000

/**
 * Notes in memory a key's first use in an hour. A process that is killed loses its last minute. The database computes the hour, so the gateway tells
 * it how many seconds ago the use was (docs/decisions/0002).
 */
export function openKeyUses(
  clock: { now: () => number; steadyMs: () => number } = { now: Date.now, steadyMs: () => performance.now() },
): KeyUses {
  const waiting = new Map<string, number>()
  return {
    note(key) {
      const hour = Math.floor(clock.now() / hourMs)
      if (key.notedHour === hour || waiting.size >= mostWaiting) return
      key.notedHour = hour
      waiting.set(key.keyId, clock.steadyMs())
    },
    async write(db) {
      let written = 0
      while (waiting.size > 0) {
        const uses = [...waiting].slice(0, writtenAtOnce)
        await noteKeyUses(
          db,
          uses.map(([keyId, at]) => ({ keyId, agoSeconds: Math.max(0, (clock.steadyMs() - at) / 1000) })),
        )
        // A key may have been noted again during the write, for the next hour. That use stays in `waiting`.
        for (const [keyId, at] of uses) if (waiting.get(keyId) === at) waiting.delete(keyId)
        written += uses.length
      }
      return written
    },
  }
}
