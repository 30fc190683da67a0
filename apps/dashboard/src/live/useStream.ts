import { useEffect, useRef, useState } from 'react'
import { followStream, type StreamState } from './follow-stream.ts'

/**
 * Follows the stream of server-sent events at `path`, if any, while the tab is visible. `handlers` get each event's parsed data. Gives the stream's
 * state and the time (milliseconds) as of which the page is up to date.
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
