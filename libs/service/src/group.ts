import { apart, asNow, type Within } from './request-id.ts'
import { openTurns } from './turns.ts'
import { waitAtMost } from './wait-at-most.ts'

/** After a failed commit, the items of so many apps are committed at once, each alone: an item that meets a locked row takes 2 s. */
const aloneAtOnce = 4

/**
 * Commits many items together: what arrives during a commit shares the next one, because a message of a send to one device alone costs 6 ms of CPU.
 * When a commit fails, each item is committed alone. Apps take turns.
 */
export function group<Item, Result>(
  commit: (items: Item[]) => Promise<Result[]>,
  {
    limit,
    maxWaiting,
    full,
    isShared = () => false,
    appOf = () => '',
    atOnce = 1,
    restMs = 0,
    weigh = () => 1,
    enough = limit,
  }: {
    /** Most items of a commit. */
    limit: number
    /** When so many items wait, further ones are refused with the error of `full`; an app that has a quarter of them already from the half on. */
    maxWaiting: number
    full: () => Error
    /** Whether each item alone would fail with this error too, as when the database is away: then all fail at once. */
    isShared?: (error: unknown) => boolean
    /** The app of an item. An app with no item in flight does not wait for other apps' commits: one commit more than `atOnce` may begin for it. */
    appOf?: (item: Item) => string
    /** Most commits at the same time. A further one begins when `limit` items wait. */
    atOnce?: number
    /**
     * For items that no caller waits for: a commit begins this many ms after the previous one began, or sooner when `limit` items wait or their
     * weights reach `enough`. Without it a faster database only makes more commits.
     */
    restMs?: number
    weigh?: (item: Item) => number
    enough?: number
  },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; within: Within; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting = openTurns<Waiting>()
  let running = 0
  let weighs = 0
  let beganAt = Number.NEGATIVE_INFINITY
  let goOn = () => {}
  /** For each app, the number of commits in flight that have items of the app. */
  const inFlight = new Map<string, number>()
  /** Says whether items of an app may go into the next commit. When `atOnce` is 1, they may not while a commit in flight has items of the app. */
  const mayGo = (appId: string) => atOnce > 1 || appId === '' || !inFlight.has(appId)

  const commitOne = ({ item, within }: Waiting) => within(() => commit([item]))
  const answer = (taken: Waiting[], results: Result[]) => {
    if (results.length !== taken.length) throw new Error(`a group of ${taken.length} was answered with ${results.length} results`)
    taken.forEach(({ resolve }, index) => resolve(results[index] as Result))
  }

  const commitTaken = async (taken: Waiting[]) => {
    try {
      const [first] = taken
      answer(taken, await (first && taken.length === 1 ? commitOne(first) : commit(taken.map(({ item }) => item))))
    } catch (error) {
      if (taken.length === 1 || isShared(error)) {
        for (const { reject } of taken) reject(error)
        return
      }
      const lines = [...Map.groupBy(taken, (one) => appOf(one.item) || one).values()]
      const commitLines = async () => {
        for (let line = lines.shift(); line; line = lines.shift()) for (const one of line) await commitAlone(one)
      }
      await Promise.all(Array.from({ length: aloneAtOnce }, commitLines))
    }
  }
  const commitAlone = (one: Waiting) =>
    commitOne(one).then(
      (results) => answer([one], results),
      (alone: unknown) => one.reject(alone),
    )

  const drain = async () => {
    running += 1
    // Items that arrive within one turn of the event loop go into one commit.
    await new Promise((resolve) => setImmediate(resolve))
    for (;;) {
      if (restMs > 0) await rested()
      const taken = take()
      if (taken.length === 0) break
      beganAt = performance.now()
      const apps = new Set(taken.map(({ item }) => appOf(item)))
      for (const appId of apps) inFlight.set(appId, (inFlight.get(appId) ?? 0) + 1)
      await commitTaken(taken)
      for (const appId of apps) {
        const others = (inFlight.get(appId) ?? 1) - 1
        if (others > 0) inFlight.set(appId, others)
        else inFlight.delete(appId)
      }
    }
    running -= 1
  }

  const isEnough = () => weighs >= enough || waiting.size >= limit

  const rested = async () => {
    const leftMs = beganAt + restMs - performance.now()
    if (leftMs <= 0 || waiting.size === 0 || isEnough()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    goOn = resolve
    await waitAtMost(leftMs, promise, () => undefined)
  }

  const take = () => {
    const taken: Waiting[] = []
    while (taken.length < limit) {
      const next = waiting.next(mayGo)
      if (!next) break
      taken.push(next)
      weighs -= weigh(next.item)
    }
    return taken
  }

  const isFull = (appId: string) =>
    waiting.size >= maxWaiting || (waiting.size >= maxWaiting / 2 && appId !== '' && waiting.sizeOf(appId) >= maxWaiting / 4)

  return (item) =>
    new Promise((resolve, reject) => {
      const appId = appOf(item)
      if (isFull(appId)) {
        reject(full())
        return
      }
      waiting.add(appId, { item, within: asNow(), resolve, reject })
      weighs += weigh(item)
      if (isEnough()) goOn()
      const beginsBesideOthers = inFlight.size > 0 && running <= atOnce && appId !== '' && !inFlight.has(appId)
      if (running === 0 || (running < atOnce && waiting.size >= limit) || beginsBesideOthers) void apart(drain)
    })
}
