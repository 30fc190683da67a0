import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

/**
 * The id of the HTTP request that work is done for: whatever is logged meanwhile names it (log.ts), and calls take it along to other apps
 * (bus.ts). Stored messages do not: what they lead to belongs to a campaign, and its lines name that.
 */
const current = new AsyncLocalStorage<string>()

export const activeRequestId = (): string | undefined => current.getStore()

/** Does work for a request; without an id it is nobody's. */
export const forRequest = <T>(requestId: string | undefined, work: () => T): T => (requestId ? current.run(requestId, work) : work())

/** Does work as part of a certain request and trace, or of none. */
export type Within = <T>(work: () => T) => T

/** Outside of any: what many share, and what goes on after the answer. */
export const apart: Within = AsyncLocalStorage.snapshot()

/** Within what is active now: for work that waits to be done together with others'. 0.1 µs, where a snapshot costs 4. */
export function asNow(): Within {
  const resource = new AsyncResource('herald')
  return (work) => resource.runInAsyncScope(work)
}
