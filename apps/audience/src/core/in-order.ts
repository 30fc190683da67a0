/**
 * Does work that shares a key one after another, in the order in which it came; what shares none is done at once. Remembers the keys of what
 * waits or is under way, so the caller bounds how much that is.
 */
export function openOrder(): <Answer>(keys: string[], work: () => Promise<Answer>) => Promise<Answer> {
  const last = new Map<string, Promise<void>>()
  return (keys, work) => {
    const before = keys.flatMap((key) => last.get(key) ?? [])
    const answer = before.length === 0 ? work() : Promise.all(before).then(work)
    const forget = () => {
      for (const key of keys) if (last.get(key) === done) last.delete(key)
    }
    const done: Promise<void> = answer.then(forget, forget)
    for (const key of keys) last.set(key, done)
    return answer
  }
}
