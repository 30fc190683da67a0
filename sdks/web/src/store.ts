import type { Service } from './call.ts'
import type { Change } from './changes.ts'

/** A report of the worker that Herald has not got yet. */
export type Report = { path: string; at: number }

/** The device as Herald knows it. */
export type KeptDevice = {
  id?: string
  userId?: string
  /** The endpoint that Herald knows. The browser may have another one by now. */
  endpoint?: string
  /** SHA-256 of the external id of the user who is logged in. */
  person?: string | undefined
  /** The device was found by its endpoint after the store had been lost, so its user and whether the user opted out are unknown. */
  found?: boolean
  /** The language, zone and versions that were registered, and when. */
  told?: string
  saidAt?: number
  seenAt?: number
}

/** What is stored for one browser between two loads of the page: what Herald knows, and what is still to be sent. */
export type Kept = {
  service?: Service
  device: KeptDevice
  /** The app's VAPID key as Herald gave it last, and when. */
  key?: string
  askedAt?: number
  /** The users who were logged in here before: pushes to them that are still on their way show no text. */
  former?: string[]
  /** Whether the user wants pushes here: subscribed, and not unsubscribed since. */
  wanted?: boolean
  out?: boolean
  /** An endpoint that Herald does not know, so that the SDK does not ask again. */
  stranger?: string
  /** When the page's own question was refused. */
  refusedAt?: number[]
  changes: Change[]
  reports: Report[]
}

/** Gives the stored record, after a change if one is given. Reading and changing are one step, also when another tab or the worker changes it at the same time. */
export type Store = (change?: (kept: Kept) => void) => Promise<Kept>

const limitMs = 1_000
const fresh = (): Kept => ({ device: {}, changes: [], reports: [] })

/**
 * Keeps one record per scope of a worker in IndexedDB, which applies changes in the order of the calls. Where that fails or takes
 * longer than a second the record is kept in memory, for the life of the page.
 */
export function openStore(scope: string): Store {
  let memory: Kept | undefined
  return async (change) => {
    if (!memory) {
      try {
        return await access(scope, change)
      } catch {
        memory ??= fresh()
      }
    }
    change?.(memory)
    return structuredClone(memory)
  }
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = reject
  })

/** The database is opened for each access, because a kept connection may be lost (Safari) and blocks other tabs. A result that comes too late is dropped. */
function access(scope: string, change?: (kept: Kept) => void): Promise<Kept> {
  let isLate = false
  return new Promise((resolve, reject) => {
    setTimeout(() => reject((isLate = true)), limitMs)
    const work = async () => {
      const opening = indexedDB.open('herald')
      opening.onupgradeneeded = () => opening.result.createObjectStore('kept')
      const database = await answerOf(opening)
      try {
        const store = database.transaction('kept', change ? 'readwrite' : 'readonly').objectStore('kept')
        const kept: Kept = (await answerOf(store.get(scope))) ?? fresh()
        if (change && !isLate) {
          change(kept)
          await answerOf(store.put(kept, scope))
        }
        resolve(kept)
      } finally {
        database.close()
      }
    }
    work().catch(reject)
  })
}
