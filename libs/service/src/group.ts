import { apart, asNow, type Within } from './request-id.ts'

/**
 * Many per commit, self-clocked: one commit is in flight, and everything that became ready meanwhile goes along in the
 * next (at most `limit` items). A lone item is committed at once, so nothing waits for company; under load a commit is
 * shared by hundreds (a one-device send costs ~6 ms of CPU with a commit per message).
 *
 * A group that fails is repeated one by one, so that one bad item does not take the others with it; `isShared` says which
 * failures are everybody's (the database is away) and not worth repeating. More than `maxWaiting` items waiting: `full()`
 * makes the error for the next one.
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
  }: { limit: number; maxWaiting: number; full: () => Error; isShared?: (error: unknown) => boolean },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; within: Within; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting: Waiting[] = []
  let running = false

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
    running = true
    // What is handed in within one turn of the event loop is ready together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commitTaken(waiting.splice(0, limit))
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(full())
        return
      }
      waiting.push({ item, within: asNow(), resolve, reject })
      if (!running) void apart(drain)
    })
}
