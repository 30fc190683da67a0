import { useEffect, useRef, useState } from 'react'
import { followStream, type StreamState } from './follow-stream.ts'

/**
 * Follows the stream of server-sent events at `path` while the tab is visible, and no stream while `path` is undefined. `handlers` has a function for
 * each name of an event, which gets the event's parsed data. While the gateway refuses the stream, `poll` is called every 2 s instead. Gives the
 * state of the stream, and the time as of which the page is up to date, in milliseconds.
 */
export function useStream(
  path: string | undefined,
  handlers: Record<string, (data: unknown) => void>,
  poll?: () => void,
): { state: StreamState; asOf: number | undefined } {
  const [seen, setSeen] = useState<{ state: StreamState; asOf: number | undefined }>({ state: 'closed', asOf: undefined })
  const latest = useRef({ handlers, poll })
  useEffect(() => {
    latest.current = { handlers, poll }
  })
  const names = Object.keys(handlers).toSorted().join(' ')

  useEffect(() => {
    if (path === undefined) return setSeen({ state: 'closed', asOf: undefined })
    return followStream(path, names.split(' '), {
      hear: (name, data) => latest.current.handlers[name]?.(data),
      poll: () => latest.current.poll?.(),
      tell: (state, asOf) => setSeen((before) => (before.state === state && before.asOf === asOf ? before : { state, asOf })),
    })
  }, [path, names])

  return seen
}
