/**
 * Makes a function that asks once for many callers: an app's answer is kept for `keptMs`, and callers that ask while it is being made wait for it. At
 * most `most` answers are kept. A failure is not kept, so the next caller asks again.
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
    // The old entry is deleted first, so that the map is in the order of asking and its first entry is the oldest.
    kept.delete(appId)
    kept.set(appId, one)
    const [oldest] = kept.keys()
    if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    one.answer.catch(() => kept.get(appId) === one && kept.delete(appId))
    return one.answer
  }
}
