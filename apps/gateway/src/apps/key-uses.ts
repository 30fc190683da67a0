import type { Kysely } from 'kysely'
import { noteKeyUses } from './store/api-keys.ts'
import type { Tables } from '../store/tables.ts'

/** Notes which API keys are used, and writes the hour of the last use, which the administration shows. */
export type KeyUses = {
  /** Notes that a request came with this key. It is written later, so that it costs the request nothing but this call. */
  note(key: NotedKey): void
  /** Writes what was noted since the last time and gives how many keys that were. What cannot be written is kept for the next time. */
  write(db: Kysely<Tables>): Promise<number>
}

/** A verified key as it is remembered, with the hour in which its use was noted last. */
export type NotedKey = { readonly keyId: string; notedHour?: number }

const hourMs = 3_600_000
/** Keys that may wait to be written. A key that finds no place is noted by a later request. */
const mostWaiting = 10_000
/** Uses that one statement writes. */
const writtenAtOnce = 1_000

/**
 * Notes uses in memory, the first of each hour and key. A process that is killed loses those of its last minute. The hour is the database's, so
 * what is written is how long ago the use was (docs/decisions/0017).
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
        // A use of the next hour that was noted meanwhile stays.
        for (const [keyId, at] of uses) if (waiting.get(keyId) === at) waiting.delete(keyId)
        written += uses.length
      }
      return written
    },
  }
}
