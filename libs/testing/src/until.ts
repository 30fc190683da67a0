import { setTimeout as sleep } from 'node:timers/promises'
/**
 * Waits until a condition, checked every 20 ms, is true and gives its value. After `withinMs` it fails with the last value or error. The limit is
 * long enough for a machine with ten times as much work as cores.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { withinMs = 60_000, what = 'the condition' } = {},
): Promise<NonNullable<Truthy<T>>> {
  const startedAt = performance.now()
  let last: unknown
  for (;;) {
    try {
      const seen = await condition()
      if (seen) return seen as NonNullable<Truthy<T>>
      last = seen
    } catch (error) {
      last = error
    }
    if (performance.now() - startedAt > withinMs) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last)
      throw new Error(`${what} did not come about within ${withinMs} ms; last seen: ${seen}`, { cause: last })
    }
    await sleep(20)
  }
}

type Truthy<T> = T extends false | 0 | '' | null | undefined ? never : T
