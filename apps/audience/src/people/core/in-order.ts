/**
 * Makes a function that runs work with a key in common in the order in which it came, other work at once. More than `most` pieces of one key, or a
 * wait beyond `waitMs`, is rejected with `full()`.
 */
export function openOrder({
  most,
  waitMs,
  full,
}: {
  most: number
  waitMs: number
  full: () => Error
}): <Answer>(keys: string[], work: () => Promise<Answer>) => Promise<Answer> {
  const lines = new Map<string, { last: Promise<void>; length: number }>()
  const within = (before: Promise<unknown>) => {
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(full()), waitMs)
    return Promise.race([before, tooLate]).finally(() => clearTimeout(timer))
  }

  return (keys, work) => {
    const before = keys.flatMap((key) => lines.get(key) ?? [])
    if (before.some(({ length }) => length >= most)) return Promise.reject(full())
    const leave = () => {
      for (const key of keys) {
        const line = lines.get(key)
        if (line && line.length > 1) line.length -= 1
        else lines.delete(key)
      }
    }
    const earlier = before.length === 0 ? undefined : Promise.all(before.map(({ last }) => last))
    const answer = earlier ? within(earlier).then(work) : work()
    // A piece that has waited too long leaves its place only after the earlier pieces, so that the next one still waits for them.
    const settled = () => (earlier ? earlier.then(leave) : leave())
    const last: Promise<void> = answer.then(settled, settled)
    for (const key of keys) lines.set(key, { last, length: (lines.get(key)?.length ?? 0) + 1 })
    return answer
  }
}
