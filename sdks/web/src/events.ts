import type { HeraldError } from './herald-error.ts'
import type { State } from './page.ts'

/** The events of a page. */
export type Events = {
  /** The user clicked a notification, and this window came to the front. */
  click: { url: string | undefined; action: string | undefined; title: string; data: Record<string, string> }
  /** A notification was shown while the page is open. */
  push: { url: string | undefined; title: string; body: string; data: Record<string, string> }
  change: State
  /** Something went wrong that no call of yours was waiting for. */
  error: HeraldError
}

type Handler = (event: never) => void

/** Calls handlers by event. A handler that throws does not stop the others, and its error is reported as one of the page. */
export function openEvents() {
  const all = new Set<{ name: keyof Events; handler: Handler }>()
  return {
    on: <Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): (() => void) => {
      const one = { name, handler }
      all.add(one)
      return () => void all.delete(one)
    },
    /** Whether anybody listens. */
    emit: <Name extends keyof Events>(name: Name, event: Events[Name]): boolean => {
      const those = [...all].filter((one) => one.name === name)
      for (const { handler } of those) queueMicrotask(() => (handler as (event: Events[Name]) => void)(event))
      return !!those[0]
    },
  }
}
