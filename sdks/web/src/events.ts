import type { WorkerState } from './take-over.ts'
import type { HeraldError } from './herald-error.ts'
import type { Reason } from './support.ts'

/** What the SDK knows about pushes in this browser. */
export type State = {
  supported: boolean
  /** Why this browser cannot have pushes; undefined when `supported` is true. */
  reason: Reason | undefined
  permission: NotificationPermission
  /** True when the user has subscribed here and the browser still has the subscription. */
  subscribed: boolean
  /** The id that Herald gave this device; undefined while it is not registered. */
  subscriptionId: string | undefined
  loggedIn: boolean
  optedIn: boolean
  /** The number of changes that Herald has not confirmed yet. The SDK sends them by itself, in order. */
  waiting: number
  /** Whose worker gets the pushes; undefined until it is known. `ready` waits for `active`. */
  worker: WorkerState | undefined
  lastError: HeraldError | undefined
}

/** The events that a page can listen to with `on`. */
export type Events = {
  /** The user clicked a notification, and the browser brought this window to the front. */
  click: { url: string | undefined; action: string | undefined; title: string; data: Record<string, string> }
  /** A push came while the page is open. When the page is visible and calls `preventDefault`, no notification is shown. */
  push: { url: string | undefined; title: string; body: string; data: Record<string, string>; preventDefault(): void }
  change: State
  /** Work in the background failed. No call of your page rejects with this error. */
  error: HeraldError
}

type Handler = (event: never) => void

/** Makes the list of a page's handlers. A handler that throws does not stop the others, and the browser reports its error as an error of the page. */
export function openEvents() {
  const all = new Set<{ name: keyof Events; handler: Handler }>()
  return {
    on: <Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): (() => void) => {
      const one = { name, handler }
      all.add(one)
      return () => void all.delete(one)
    },
    /** Calls the handlers of an event. Answers whether the event has a handler. */
    emit: <Name extends keyof Events>(name: Name, event: Events[Name]): boolean => {
      const those = [...all].filter((one) => one.name === name)
      for (const { handler } of those) queueMicrotask(() => (handler as (event: Events[Name]) => void)(event))
      return !!those[0]
    },
  }
}
