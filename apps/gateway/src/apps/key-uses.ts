import type { Kysely } from 'kysely'
import { noteKeyUses } from './store/api-keys.ts'
import type { Tables } from '../store/tables.ts'

/** Which keys were used, from the request that uses one to the hour that administration shows. */
export type KeyUses = {
  /** A request came with this key. Costs a request nothing but this call: what is noted is written later. */
  note(key: NotedKey): void
  /** Writes down what was noted since the last time; answers how many keys. What cannot be written is kept for the next time. */
  write(db: Kysely<Tables>): Promise<number>
}

/** A verified key as it is remembered, with the hour in which its use was noted last. */
export type NotedKey = { readonly keyId: string; notedHour?: number }

const hourMs = 3_600_000
/** Keys that wait to be written. One that finds no place is noted by a later request. */
const mostWaiting = 10_000
/** In one statement. */
const writtenAtOnce = 1_000

/**
 * Notes uses in memory: the first of an hour of each key. A process that is killed forgets those of its last minute. The hour is the database's:
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

/** Uses are written once a minute. */
const writeEveryMs = 60_000

/** For a sweep. */
export function writeKeyUses(db: Kysely<Tables>, uses: KeyUses, everyMs = writeEveryMs): () => Promise<{ took: number }> {
  let writtenAt = performance.now()
  return async () => {
    if (performance.now() - writtenAt < everyMs) return { took: 0 }
    writtenAt = performance.now()
    await uses.write(db)
    return { took: 0 }
  }
}
