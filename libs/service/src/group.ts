import { apart, asNow, type Within } from './request-id.ts'
import { openTurns } from './turns.ts'

/** After a failed commit, the items of so many apps are committed at once, each alone. */
const aloneAtOnce = 4

/**
 * Commits many items together. While a commit is in flight, the items that arrive wait; the next commit takes up to `limit` of them. When no commit
 * is in flight, a single item is committed at once unless `restMs` is set, so it does not wait for other items to come. Under load hundreds of items
 * share a commit. A commit of its own for each message would make a send to one device cost about 6 ms of CPU. When `limit` items wait already,
 * another commit begins at the same time, up to `atOnce` commits.
 *
 * When a commit fails, each of its items is committed alone, so that one bad item does not fail the others: those of an app one after another, up to
 * four apps at once, because an item that meets a locked row takes 2 s. `isShared` says of an error whether each item alone would fail with it too,
 * for example because the database is away. Then all items fail at once. When `maxWaiting` items wait, the next
 * item is refused with the error of `full()`.
 *
 * `turn` names the app that an item belongs to. A commit takes items of the waiting apps by turns: when one app floods the group, an item of another
 * app is in the next commit, and not behind the flood. An app that has no item in a commit in flight does not wait for these commits: one more commit
 * begins at the same time, even when `atOnce` commits are in flight. When half of `maxWaiting` items wait, an app with a quarter of `maxWaiting`
 * among them is refused further items.
 *
 * `restMs` is for items that no caller waits for: a commit begins at least `restMs` after the beginning of the previous one, or sooner when `limit`
 * items wait or their weights (`weigh`) add up to `enough`. Without this pause one commit would follow another however few items each has, and a
 * faster database would only make more commits.
 *
 * A commit of a single item belongs to the item's request and trace. A commit of several items belongs to no request.
 */
export function group<Item, Result>(
  commit: (items: Item[]) => Promise<Result[]>,
  {
    limit,
    maxWaiting,
    full,
    isShared = () => false,
    turn = () => '',
    atOnce = 1,
    restMs = 0,
    weigh = () => 1,
    enough = limit,
  }: {
    limit: number
    maxWaiting: number
    full: () => Error
    isShared?: (error: unknown) => boolean
    turn?: (item: Item) => string
    atOnce?: number
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
  const mayGo = (turn: string) => atOnce > 1 || turn === '' || !inFlight.has(turn)

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
      const lines = [...Map.groupBy(taken, (one) => turn(one.item) || one).values()]
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
      const turns = new Set(taken.map(({ item }) => turn(item)))
      for (const whose of turns) inFlight.set(whose, (inFlight.get(whose) ?? 0) + 1)
      await commitTaken(taken)
      for (const whose of turns) {
        const others = (inFlight.get(whose) ?? 1) - 1
        if (others > 0) inFlight.set(whose, others)
        else inFlight.delete(whose)
      }
    }
    running -= 1
  }

  const isEnough = () => weighs >= enough || waiting.size >= limit

  const rested = async () => {
    const leftMs = beganAt + restMs - performance.now()
    if (leftMs <= 0 || waiting.size === 0 || isEnough()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, leftMs)
      goOn = () => {
        clearTimeout(timer)
        resolve()
      }
    })
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

  const isFull = (whose: string) =>
    waiting.size >= maxWaiting || (waiting.size >= maxWaiting / 2 && whose !== '' && waiting.sizeOf(whose) >= maxWaiting / 4)

  return (item) =>
    new Promise((resolve, reject) => {
      const whose = turn(item)
      if (isFull(whose)) {
        reject(full())
        return
      }
      waiting.add(whose, { item, within: asNow(), resolve, reject })
      weighs += weigh(item)
      if (isEnough()) goOn()
      const isBeside = inFlight.size > 0 && running <= atOnce && whose !== '' && !inFlight.has(whose)
      if (running === 0 || (running < atOnce && waiting.size >= limit) || isBeside) void apart(drain)
    })
}
