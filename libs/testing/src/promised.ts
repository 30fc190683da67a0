import { until } from './until.ts'

const tickMs = 10
/** A tick that comes later than this was held up by other programs of the machine, so no more of it counts. */
const mostOfTickMs = 20

/**
 * Starts a clock for a time limit that the specification promises. The function that it gives ends the clock and gives the milliseconds that this
 * process could run, without the time that a busy machine gave to other programs.
 */
export function startClock(): () => number {
  let countedMs = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    countedMs += Math.min(now - last, mostOfTickMs)
    last = now
  }
  const ticking = setInterval(tick, tickMs).unref()
  return () => {
    clearInterval(ticking)
    tick()
    return countedMs
  }
}

/** Waits until a condition is true, and fails when that took longer than the specification promises. */
export async function promised<T>(ms: number, what: string, condition: () => T | Promise<T>): Promise<void> {
  const elapsed = startClock()
  await until(condition, { what })
  const took = elapsed()
  if (took > ms) throw new Error(`${what} took ${Math.round(took)} ms, and ${ms} ms are promised`)
}
