import { tooManyReads } from '@herald/contracts/fault'

/** Dry runs and exports that one process works on at once: of all apps, and of one app. */
const mostAtOnce = 4
const mostOfApp = 1
const againSeconds = 2

/**
 * The places for requests that read much: dry runs and exports (spec: limits/heavy-reads). They do not wait: without a free place the Fault
 * `rate_limited` says to come again in 2 seconds.
 */
export type HeavyReads = {
  /** Does the work in a place of the app. */
  run: <Answer>(appId: string, work: () => Promise<Answer>) => Promise<Answer>
  /**
   * Takes a place for an answer that goes on after its route has returned, and gives the function that frees it. Calling that twice changes
   * nothing.
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

/** The same parts, made in a place of the app that is taken with the first part and freed with the last. Fault: rate_limited when no place is free. */
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
