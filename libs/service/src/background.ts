import { Fault } from '@herald/contracts/fault'
import type { Service } from './run.ts'

/**
 * Runs work that follows from a commit and that no caller waits for, at most `limit` pieces at once. Further and failed work is left to the sweep,
 * seconds later. A service that stops waits for work that has begun.
 */
export function openBackground(service: Service, { what, limit }: { what: string; limit: number }): (work: () => Promise<void>) => void {
  const inWork = new Set<Promise<void>>()
  let stopped = false
  service.onStop(what, () => {
    stopped = true
    return Promise.all(inWork)
  })
  const run = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      const away = Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable')
      service.log[away ? 'debug' : 'warn']({ what, err: error }, 'left to the sweep')
    }
  }
  return (work) => {
    if (stopped || inWork.size >= limit) return
    const running: Promise<void> = run(work).finally(() => inWork.delete(running))
    inWork.add(running)
  }
}
