import type { Service } from './call.ts'

/** What a page may change of its user. Tags are merged, and null deletes a tag. */
export type UserChanges = {
  tags?: Record<string, string | number | boolean | null>
  language?: string
  timezone?: string
  country?: string
}

/** The kind of a change, which decides which waiting changes become pointless (see `overtakes`). */
export type Kind = 'register' | 'user' | 'login' | 'logout' | 'opted' | 'delete'

/** A change that waits to be sent to Herald: a registration, or a request below `/v1/subscriptions/<id>`. */
export type Change = {
  id: string
  at: number
  kind: Kind
  /** The HTTP method; POST when there is none. */
  method?: string
  path?: string
  body?: (UserChanges & { externalId?: string; optedIn?: boolean }) | undefined
  /** The id of the device that the change is for. Undefined when it is for this browser's present device. */
  device?: string
}

/** A report about a push that the worker has still to send to Herald. */
export type Report = { path: string; at: number }

/** What Herald knows about this browser's device. */
export type KeptDevice = {
  id?: string
  userId?: string
  /** The endpoint that Herald knows. The browser may have a newer one. */
  endpoint?: string
  /** SHA-256 of the external id of the user who is logged in. */
  person?: string | undefined
  /** True when this record was lost and Herald found the device by its endpoint. Its user, and whether the user opted out, are then unknown. */
  found?: boolean
  /**
   * `told` is what `describeDevice` gave at the last registration, and `saidAt` is the time of that registration. `seenAt` is the time of the last
   * registration or session, whichever came later.
   */
  told?: string
  saidAt?: number
  seenAt?: number
}

/** The record that the SDK stores in the browser: what Herald knows, and what waits to be sent. */
export type Kept = {
  service?: Service
  device: KeptDevice
  /** The app's VAPID key, which Herald gave at `askedAt`. */
  key?: string
  askedAt?: number
  /** The ids of the last five users who were logged in here before. Pushes to them may still arrive, and show no text. */
  former?: string[]
  /** True from a call of `subscribe` until one of `unsubscribe`, also when the browser loses its subscription: the SDK then makes a new one. */
  wanted?: boolean
  out?: boolean
  /** The address of a worker that answered that it runs Herald. */
  worker?: string
  /** An endpoint that Herald answered not to know, so that the SDK does not ask about it again. */
  stranger?: string
  /** The times at which the user refused the page's own question. */
  refusedAt?: number[]
  changes: Change[]
  reports: Report[]
}

/** Gives a copy of the stored record, after `change` if there is one. Reading and changing are one step, also when another tab changes the record. */
export type Store = (change?: (kept: Kept) => void) => Promise<Kept>

const limitMs = 1_000
const fresh = (): Kept => ({ device: {}, changes: [], reports: [] })

/**
 * Opens the record of a worker's scope in IndexedDB. Changes are applied in the order of the calls. When IndexedDB fails or takes longer than a
 * second, the record stays in memory until the page is closed.
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

/**
 * Reads and changes the record in IndexedDB. Opens and closes the database each time: Safari may lose an open connection, and one blocks other tabs.
 * Rejects after a second; an answer after that changes nothing.
 */
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
