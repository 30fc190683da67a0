const dayMs = 86_400_000

/** Makes a sweep that works once a day: at the service's start, and then a day after the work last succeeded. */
export function daily(work: () => Promise<unknown>): () => Promise<{ took: number }> {
  let dueAt = 0
  return async () => {
    if (performance.now() < dueAt) return { took: 0 }
    await work()
    dueAt = performance.now() + dayMs
    return { took: 0 }
  }
}
