/**
 * Work of which `atOnce` is done at a time. What comes above that waits its turn, at most `mostWaiting` and each for `waitMs`; who does not
 * get one in time hears the error that `full` makes, and the work is not begun.
 */
export function openAtOnce({
  atOnce,
  mostWaiting,
  waitMs,
  full,
}: {
  atOnce: number
  mostWaiting: number
  waitMs: number
  full: () => Error
}): <Answer>(work: () => Promise<Answer>) => Promise<Answer> {
  const waiting = new Set<() => void>()
  let inWork = 0

  const turn = async () => {
    if (inWork < atOnce) {
      inWork += 1
      return
    }
    if (waiting.size >= mostWaiting) throw full()
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(full())
      }, waitMs)
      waiting.add(begin)
    })
  }
  /** The turn goes to who has waited longest, or is free. */
  const pass = () => {
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      next()
    } else inWork -= 1
  }

  return async (work) => {
    await turn()
    try {
      return await work()
    } finally {
      pass()
    }
  }
}
