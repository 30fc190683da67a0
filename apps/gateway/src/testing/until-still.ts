import { until } from '@herald/testing/until'

/** Resolves when a count above 0 has not changed for half a second. Only waiting can show that nothing more comes. */
export async function untilStill(count: () => number): Promise<void> {
  let last = 0
  let since = performance.now()
  await until(() => {
    if (count() !== last) [last, since] = [count(), performance.now()]
    return last > 0 && performance.now() - since > 500
  })
}
