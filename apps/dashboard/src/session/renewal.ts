// Requests that were refused because the session has ended wait here until the operator signs in again or closes the dialog.
let waiting: { promise: Promise<boolean>; settle: (renewed: boolean) => void } | undefined
const watchers = new Set<() => void>()

const tell = (): void => {
  for (const watcher of watchers) watcher()
}

/** Opens the dialog that asks for the token, once for all waiting requests. Resolves to whether there is a session again. */
export function waitForSession(): Promise<boolean> {
  if (waiting === undefined) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting = { promise, settle: resolve }
    tell()
  }
  return waiting.promise
}

/** Lets the requests that wait go on (`true`), or fail with the 401 they got. */
export function endWait(renewed: boolean): void {
  waiting?.settle(renewed)
  waiting = undefined
  tell()
}

/** Whether requests wait for a session. */
export const isWaiting = (): boolean => waiting !== undefined

/** For useSyncExternalStore. */
export function watchRenewal(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
