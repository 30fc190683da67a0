const dayMs = 86_400_000

/** For a sweep: does the work at once and then a day after it last succeeded, measured from this process's start. */
export function daily(work: () => Promise<unknown>): () => Promise<{ took: number }> {
  let dueAt = 0
  return async () => {
    if (performance.now() < dueAt) return { took: 0 }
    await work()
    dueAt = performance.now() + dayMs
    return { took: 0 }
  }
}
