import type { Change } from './changes.ts'
import type { Service } from './call.ts'
import type { HeraldError } from './herald-error.ts'

/** A report of the worker that did not get through yet. */
export type Report = { path: string; at: number }

/** What a person did that Herald was told, or is still to be told, of one device. Everything that is kept between two loads of the page. */
export type Kept = {
  service?: Service
  /** The device's id at Herald. */
  id?: string
  /** The endpoint that Herald knows. The browser's may be another one by now. */
  endpoint?: string
  /** The app's VAPID key as Herald said it last, and when. */
  key?: string
  keyAskedAt?: number
  /** SHA-256 of the external id of who is logged in. */
  person?: string
  userId?: string
  /** Who was logged in here before: what is on its way to them shows no text. */
  formerUsers?: string[]
  /** The person wants pushes here: subscribed, and not unsubscribed since. */
  wanted?: boolean
  optedOut?: boolean
  /** An endpoint that Herald does not know, so that it is not asked about again. */
  stranger?: string
  /** The device was found by its endpoint, after what was kept of it had been lost: who is logged in is not known. */
  isFound?: boolean
  /** What was registered of language, zone and versions. */
  described?: string
  /** What the page said itself; a registration leaves it alone. */
  said?: string[]
  registeredAt?: number
  sessionAt?: number
  /** When the page's own question was refused. */
  refusals?: number[]
  changes: Change[]
  reports: Report[]
  /** Why Herald refused a change, for the tab that asked for it: another one may have sent it. */
  refused?: { change: string; error: Pick<HeraldError, 'code' | 'message' | 'status' | 'details' | 'requestId'> }
}

export type Store = {
  read(): Promise<Kept>
  /** Changes what is kept in one step, also when another tab or the worker does so at the same time. `change` must not throw. */
  update<T>(change: (kept: Kept) => T): Promise<T>
}

const limitMs = 1_000
const fresh = (): Kept => ({ changes: [], reports: [] })

/** One record per scope of a worker in IndexedDB. Where that fails or takes longer than a second: in memory, for the life of the page. */
export function openStore(scope: string): Store {
  let memory: Kept | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other, so that changes are kept in the order in which they were made. */
  const inTurn = <T>(mode: IDBTransactionMode, change: (kept: Kept) => T): Promise<T> => {
    const turn = last.then(async () => {
      if (!memory) {
        try {
          return await access(scope, mode, change)
        } catch {
          memory = fresh()
        }
      }
      return change(memory)
    })
    last = turn
    return turn
  }
  return {
    read: () => inTurn('readonly', (kept) => structuredClone(kept)),
    update: (change) => inTurn('readwrite', change),
  }
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(new Error('refused'))
  })

/** Opened for each access: a connection that is kept may be lost (Safari) and holds up other tabs. What comes too late changes nothing. */
function access<T>(scope: string, mode: IDBTransactionMode, change: (kept: Kept) => T): Promise<T> {
  let isLate = false
  const work = async () => {
    const opening = indexedDB.open('herald', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('kept')
    const database = await answerOf(opening)
    try {
      const store = database.transaction('kept', mode).objectStore('kept')
      const kept: Kept = (await answerOf(store.get(scope))) ?? fresh()
      if (isLate) throw new Error('late')
      const result = change(kept)
      if (mode === 'readwrite') await answerOf(store.put(kept, scope))
      return result
    } finally {
      database.close()
    }
  }
  return new Promise((resolve, reject) => {
    setTimeout(() => reject((isLate = true)), limitMs)
    work().then(resolve, reject)
  })
}
