import { apart, asNow, type Within } from './request-id.ts'
import { openTurns } from './turns.ts'

/**
 * Many per commit, self-clocked: one commit is in flight, and everything that became ready meanwhile goes along in the next (at most `limit`
 * items). Where a whole group waits already, another goes beside it, up to `atOnce`. A lone item is committed at once, so nothing waits for
 * company; under load a commit is shared by hundreds (a one-device send costs ~6 ms of CPU with a commit per message).
 *
 * A group that fails is repeated one by one, so that one bad item does not take the others with it; `isShared` says which
 * failures are everybody's (the database is away) and not worth repeating. More than `maxWaiting` items waiting: `full()`
 * makes the error for the next one.
 *
 * `turn` says whose an item is (an app): a commit takes from those that wait by turns, so that a flood of one costs another a place in the
 * next commit and not the wait for all of it. Who has nothing in the commits that are in flight does not even wait for these: one more goes beside
 * them, with turns that they do not hold. The last half of what may wait is kept for turns that have less than a quarter waiting.
 *
 * `restMs`: a commit begins no sooner than so long after the one before it began, unless `enough` waits by then (by `weigh`, else a whole group). For
 * what nobody waits for: without it one commit follows the other however little each holds, and a faster database only makes more of them.
 *
 * A lone item is committed as part of its request and trace; what many share is nobody's.
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
  /** How often each turn is in a commit that is in flight. */
  const inFlight = new Map<string, number>()
  /** Where one commit at a time is the rule it stays so within a turn. */
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
      for (const one of taken) {
        await commitOne(one).then(
          (results) => answer([one], results),
          (alone: unknown) => one.reject(alone),
        )
      }
    }
  }

  const drain = async () => {
    running += 1
    // What is handed in within one turn of the event loop is ready together.
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
