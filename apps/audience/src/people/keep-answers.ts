/**
 * Makes a function that calls `ask` once for many callers: it keeps at most `most` answers, each for `keptMs` from the call, and callers wait for an
 * answer under way. A failure is not kept.
 */
export function keepAnswers<Answer>(
  ask: (appId: string) => Promise<Answer>,
  { keptMs, most, now = () => performance.now() }: { keptMs: number; most: number; now?: (() => number) | undefined },
): (asked: { appId: string }) => Promise<Answer> {
  const kept = new Map<string, { answer: Promise<Answer>; at: number }>()
  return ({ appId }) => {
    const known = kept.get(appId)
    if (known && now() - known.at < keptMs) return known.answer
    const one = { answer: ask(appId), at: now() }
    // Deleting the app's old entry first moves the new entry to the end of the map. So the first entry of the map is always the oldest.
    kept.delete(appId)
    kept.set(appId, one)
    const [oldest] = kept.keys()
    if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    one.answer.catch(() => kept.get(appId) === one && kept.delete(appId))
    return one.answer
  }
}
