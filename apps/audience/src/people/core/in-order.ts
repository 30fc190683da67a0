/**
 * Makes a function that runs pieces of work. Pieces with a key in common run one after another, in the order in which they came; a piece that shares
 * no key with those that run or wait runs at once. At most `most` pieces with one key may wait or run. A further piece is rejected with the error
 * that `full` makes, so that a client that repeats one key does not delay other clients.
 */
export function openOrder({
  most,
  full,
}: {
  most: number
  full: () => Error
}): <Answer>(keys: string[], work: () => Promise<Answer>) => Promise<Answer> {
  const lines = new Map<string, { last: Promise<void>; length: number }>()
  return (keys, work) => {
    const before = keys.flatMap((key) => lines.get(key) ?? [])
    if (before.some(({ length }) => length >= most)) return Promise.reject(full())
    const answer = before.length === 0 ? work() : Promise.all(before.map(({ last }) => last)).then(work)
    const leave = () => {
      for (const key of keys) {
        const line = lines.get(key)
        if (line && line.length > 1) line.length -= 1
        else lines.delete(key)
      }
    }
    const last: Promise<void> = answer.then(leave, leave)
    for (const key of keys) lines.set(key, { last, length: (lines.get(key)?.length ?? 0) + 1 })
    return answer
  }
}
