import type { Slots } from './core/slots.ts'
import type { BatchKey, ReadRow } from './store/ledger.ts'

/** At most this many batches are remembered, 6 MB in all. A dispatcher has a few batches under way, and a tracker serves some dispatchers. */
const mostBatches = 1_000
/** A batch whose pushes ended in so many ways that writing them down takes more characters is not remembered: it could take 100 kB. */
const longestEnds = 4_000
/** The database's time is asked again after this time, so that two clocks that drift apart make no difference. */
const clockForMs = 60_000
/** With several trackers another one writes the same rows. After a write that found other rows than remembered, all are read for this time. */
const restMs = 10_000

type Asked = BatchKey & { appId: string }
type Listening = Pick<ReadRow, 'listened' | 'heard'>

/**
 * Remembers the ledger's rows as this process left them, so that a commit need not read them. With outdated rows a write changes nothing and says so
 * (HR001). Apps whose endpoints ask for events are left out.
 */
export type RememberedRows = {
  /** Gives the rows of all these batches, in order; undefined unless every one is remembered. */
  find(day: string, batches: Asked[]): ReadRow[] | undefined
  /** Remembers what was read: who listens to an app, and what time it is for the database. */
  read(rows: ReadRow[], batches: Asked[]): void
  /** Remembers all rows of a batch as this process has written them. */
  wrote(day: string, batch: Asked, rows: Slots[]): void
  /** Says that a write found other rows than these. */
  outdated(day: string, batches: Asked[]): void
  /** Forgets everything: a database that was away may be an older copy now. */
  clear(): void
}

export function openRememberedRows(): RememberedRows {
  const rowsOf = new Map<string, Slots[]>()
  const listening = new Map<string, Listening>()
  let clock: { at: number; readAt: number } | undefined
  let restUntil = 0
  const keep = <Value>(map: Map<string, Value>, key: string, value: Value) => {
    map.delete(key)
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > mostBatches && oldest !== undefined) map.delete(oldest)
  }
  return {
    find(day, batches) {
      const now = performance.now()
      if (!clock || now - clock.readAt > clockForMs || now < restUntil) return undefined
      const at = new Date(clock.at + now - clock.readAt)
      const found: ReadRow[] = []
      for (const [batch, asked] of batches.entries()) {
        const rows = rowsOf.get(keyOf(day, asked))
        const app = listening.get(asked.appId)
        if (!rows || !app) return undefined
        for (const row of rows) found.push({ ...row, ...app, batch, at, devices: null, users: null })
      }
      return found
    },
    read(rows, batches) {
      const now = performance.now()
      for (const { batch, at, listened, heard } of rows) {
        clock = { at: at.getTime(), readAt: now }
        const appId = batches[batch]?.appId ?? ''
        if (heard && heard.length > 0) listening.delete(appId)
        else keep(listening, appId, { listened, heard })
      }
    },
    wrote(day, batch, rows) {
      const key = keyOf(day, batch)
      const length = rows.reduce((sum, { ends }) => sum + ends.length, 0)
      if (rows.length > 0 && length <= longestEnds && listening.has(batch.appId)) keep(rowsOf, key, rows)
      else rowsOf.delete(key)
    },
    outdated(day, batches) {
      restUntil = performance.now() + restMs
      for (const batch of batches) {
        rowsOf.delete(keyOf(day, batch))
        listening.delete(batch.appId)
      }
    },
    clear() {
      rowsOf.clear()
      listening.clear()
      clock = undefined
    },
  }
}

const keyOf = (day: string, { campaignId, no }: BatchKey): string => `${day}${campaignId}${no}`
