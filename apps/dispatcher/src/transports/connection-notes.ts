import type { Platform } from '@herald/contracts/platform'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { Log } from '@herald/service/log'
import type { Metrics } from '@herald/service/metrics'

/** Hears what happens to the connections to a provider. */
export type NoteConnection = (event: OriginEvent) => void

/**
 * Counts what happens to connections to providers, and tells it at level debug. `host` says of whom; a push service's is part of a device's
 * address, and is left out.
 */
export function openConnectionNotes({
  metrics,
  log,
}: {
  metrics: Metrics
  log: Log
}): (platform: Platform, host?: string) => NoteConnection {
  const events = metrics.counter('herald_provider_connections_total', 'Connections to providers, by what happened to them.', [
    'platform',
    'event',
  ])
  return (platform, host) => (event) => {
    events.labels(platform, event.is).inc()
    log.debug({ platform, host, ...event }, 'a connection to a provider')
  }
}
