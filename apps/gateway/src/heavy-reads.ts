import { tooManyReads } from '@herald/contracts/fault'

/** The limits of one process for dry runs and exports that run at the same time: `mostAtOnce` for all apps together, `mostOfApp` for each app. */
const mostAtOnce = 4
const mostOfApp = 1
const againSeconds = 2

/**
 * Limits how many requests that read much (dry runs and exports) run at once (spec: limits/heavy-reads). A request beyond the limit does not wait:
 * the Fault `rate_limited` tells its client to try again in 2 seconds.
 */
export type HeavyReads = {
  /** Does the work and counts it for the app meanwhile. Fault: rate_limited when the limit is reached. */
  run: <Answer>(appId: string, work: () => Promise<Answer>) => Promise<Answer>
  /**
   * Counts, for the app, an answer that goes on after its route has returned, and gives the function that ends the counting. Calling that function
   * twice changes nothing. Fault: rate_limited when the limit is reached.
   */
  enter: (appId: string) => () => void
}

export function openHeavyReads(): HeavyReads {
  const ofApp = new Map<string, number>()
  let taken = 0

  const enter = (appId: string): (() => void) => {
    const own = ofApp.get(appId) ?? 0
    if (taken >= mostAtOnce || own >= mostOfApp) throw tooManyReads(againSeconds)
    taken += 1
    ofApp.set(appId, own + 1)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      taken -= 1
      const left = (ofApp.get(appId) ?? 1) - 1
      if (left > 0) ofApp.set(appId, left)
      else ofApp.delete(appId)
    }
  }

  return {
    enter,
    async run(appId, work) {
      const leave = enter(appId)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/**
 * Gives the same parts, and counts them as one heavy read of the app from the first part to the last. Fault: rate_limited when the limit is reached.
 */
export async function* inPlaceOf<Part>(
  heavyReads: HeavyReads,
  appId: string,
  parts: AsyncGenerator<Part>,
): AsyncGenerator<Part, void, undefined> {
  const leave = heavyReads.enter(appId)
  try {
    yield* parts
  } finally {
    leave()
  }
}
