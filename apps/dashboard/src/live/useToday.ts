import { useSyncExternalStore } from 'react'
import { untilTomorrow } from '../core/time.ts'

let now = Date.now()
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function listen(): void {
  timer = setTimeout(
    () => {
      now = Date.now()
      for (const hear of listeners) hear()
      listen()
    },
    untilTomorrow(Date.now()) + 1,
  )
}

function subscribe(hear: () => void): () => void {
  if (listeners.size === 0) listen()
  listeners.add(hear)
  return () => {
    listeners.delete(hear)
    if (listeners.size === 0) clearTimeout(timer)
  }
}

/** Gives a moment of the present day in the browser's zone, in milliseconds. At midnight it changes. */
export const useToday = (): number => useSyncExternalStore(subscribe, today)

function today(): number {
  // A tab that was frozen over midnight may have missed the timer.
  if (Date.now() - now >= untilTomorrow(now)) now = Date.now()
  return now
}
