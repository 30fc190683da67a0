import type { Service } from './call.ts'
import type { Change } from './changes.ts'

/** A report of the worker that did not get through yet. */
export type Report = { path: string; at: number }

/** The device as Herald knows it. */
export type KeptDevice = {
  id?: string
  userId?: string
  /** The browser's may be another one by now. */
  endpoint?: string
  /** SHA-256 of the external id of who is logged in. */
  person?: string | undefined
  /** It was found by its endpoint, after what was kept of it had been lost: who is logged in, and whether they opted out, is not known. */
  found?: boolean
  /** What was registered of language, zone and versions, and when. */
  told?: string
  saidAt?: number
  seenAt?: number
}

/** What is kept of one browser between two loads of the page: what Herald knows, and what it is still to be told. */
export type Kept = {
  service?: Service
  device: KeptDevice
  /** The app's VAPID key as Herald said it last, and when. */
  key?: string
  askedAt?: number
  /** Who was logged in here before: what is on its way to them shows no text. */
  former?: string[]
  /** The person wants pushes here: subscribed, and not unsubscribed since. */
  wanted?: boolean
  out?: boolean
  /** An endpoint that Herald does not know, so that it is not asked about again. */
  stranger?: string
  /** When the page's own question was refused. */
  refusedAt?: number[]
  changes: Change[]
  reports: Report[]
}

/** Answers what is kept, after a change of it if one is given: one step, also when another tab or the worker makes one at the same time. */
export type Store = (change?: (kept: Kept) => void) => Promise<Kept>

const limitMs = 1_000
const fresh = (): Kept => ({ device: {}, changes: [], reports: [] })

/**
 * One record per scope of a worker in IndexedDB, which makes changes in the order in which they are asked for. Where that fails or takes
 * longer than a second: in memory, for the life of the page.
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

/** Opened for each access: a connection that is kept may be lost (Safari) and holds up other tabs. What comes too late changes nothing. */
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
