import { until } from '@herald/testing/until'

/** Resolves when a count that has begun has stood still for half a second: that something is held back shows only by its not coming. */
export async function untilStill(count: () => number): Promise<void> {
  let last = 0
  let since = performance.now()
  await until(() => {
    if (count() !== last) [last, since] = [count(), performance.now()]
    return last > 0 && performance.now() - since > 500
  })
}
