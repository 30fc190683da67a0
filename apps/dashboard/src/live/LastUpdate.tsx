import { useNow } from './useNow.ts'
import type { useStream } from './useStream.ts'

/** After this time without an event the page says how old the last event is. */
const oldAfterMs = 15_000

/**
 * Says how long ago a live stream brought its last event. The connection to a frozen gateway stays open, so only this time shows that the gateway
 * sends nothing.
 */
export function LastUpdate({ stream: { state, asOf } }: { stream: ReturnType<typeof useStream> }) {
  const now = useNow(state === 'live')
  if (state !== 'live' || asOf === undefined || now - asOf < oldAfterMs) return null
  return <span className="text-sm text-muted">last update {Math.floor((now - asOf) / 1_000).toLocaleString('en')} s ago</span>
}
