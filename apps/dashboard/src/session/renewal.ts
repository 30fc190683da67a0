// While this is set, requests that were refused because the session has ended wait until the operator signs in again or closes the dialog.
let waiting: { promise: Promise<boolean>; settle: (renewed: boolean) => void } | undefined
const watchers = new Set<() => void>()

const tell = (): void => {
  for (const watcher of watchers) watcher()
}

/**
 * Opens the dialog that asks for the token, and waits until the operator has signed in again. Resolves to true when there is a session, to false
 * when the operator closed the dialog or signed out in another tab.
 */
export function waitForSession(): Promise<boolean> {
  if (waiting === undefined) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting = { promise, settle: resolve }
    tell()
  }
  return waiting.promise
}

/** Ends the wait: with `true` the waiting requests are sent again, with `false` they fail with the 401 that they got. */
export function endWait(renewed: boolean): void {
  waiting?.settle(renewed)
  waiting = undefined
  tell()
}

/** Says whether requests wait for a session. */
export const isWaiting = (): boolean => waiting !== undefined

/** Calls `watcher` when a wait begins or ends, until the returned function is called, as useSyncExternalStore wants it. */
export function watchRenewal(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
