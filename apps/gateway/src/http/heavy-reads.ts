import { tooManyReads } from '@herald/contracts/fault'

/**
 * Places of reads that go on for seconds or minutes (exports, dry runs): 4 per process, one of an app. Who gets a place leaves it by what is answered, once or
 * more often. Fault: `rate_limited` with Retry-After 2 while there is none (spec: administration/export-places).
 */
export type HeavyReads = (appId: string) => () => void

export function openHeavyReads({ places = 4 }: { places?: number } = {}): HeavyReads {
  const inWork = new Set<string>()
  return (appId) => {
    if (inWork.size >= places || inWork.has(appId)) throw tooManyReads(2)
    inWork.add(appId)
    let isLeft = false
    return () => {
      if (!isLeft) inWork.delete(appId)
      isLeft = true
    }
  }
}
