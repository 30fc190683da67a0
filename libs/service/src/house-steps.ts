import { failsEverybody } from './health.ts'
import type { Log } from './log.ts'

/**
 * Gives the sweep of a service's housekeeping. A step that found fewer than `full` rows, or failed, rests for `everyMs`. A failure is logged and the
 * other steps go on; one that every step would meet (`isAway`) ends the run.
 */
export function openHouseSteps(
  log: Pick<Log, 'error'>,
  { everyMs, full = 1, isAway = failsEverybody }: { everyMs: number; full?: number; isAway?: (error: unknown) => boolean },
  steps: Record<string, () => Promise<number>>,
): () => Promise<{ took: number }> {
  const nextAt = new Map<string, number>()
  return async () => {
    let took = 0
    for (const [step, run] of Object.entries(steps)) {
      if (performance.now() < (nextAt.get(step) ?? 0)) continue
      const done = await run().catch((error: unknown) => {
        if (isAway(error)) throw error
        log.error({ step, err: error }, `a step of the housekeeping failed; it is tried again after ${everyMs / 1_000} s`)
        return 0
      })
      if (done < full) nextAt.set(step, performance.now() + everyMs)
      else took += done
    }
    return { took }
  }
}
