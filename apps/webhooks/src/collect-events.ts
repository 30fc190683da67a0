import type { Announcement } from '@herald/contracts/event'
import { transact } from '@herald/service/postgres'
import { isWanted, publicEvent } from './core/public-event.ts'
import { lockFreezing } from './store/bodies.ts'
import { findOpenEndpoints } from './store/endpoints.ts'
import type { Db } from './store/tables.ts'
import { insertCollected, insertWaiting, type NewWaiting } from './store/waiting-events.ts'

/**
 * Puts the events of announcements into the queues of the endpoints that asked for them, in one transaction, each event once per
 * endpoint and each announcement once: it comes again until its owner knows that it is taken over, which is only told after the
 * commit. A disabled endpoint buffers nothing, and none stores more than `mostBytes`. Answers how many events were put, and how many older ones were dropped for them.
 */
export function collectEvents(
  { db, mostBytes }: { db: Db; mostBytes: number },
  announcements: Announcement[],
): Promise<{ put: number; dropped: number }> {
  return transact(db, async (trx) => {
    const appIds = [...new Set(announcements.flatMap(({ events }) => events.map(({ appId }) => appId)))]
    await lockFreezing(trx, appIds)
    const endpoints = Map.groupBy(await findOpenEndpoints(trx, appIds), (endpoint) => endpoint.app_id)
    if (endpoints.size === 0) return { put: 0, dropped: 0 }

    const wanted = new Map(announcements.map((announcement) => [announcement.announcementId, waitingOf(announcement, endpoints)]))
    const withEvents = [...wanted].filter(([, events]) => events.length > 0)
    const fresh = await insertCollected(
      trx,
      withEvents.map(([id]) => id),
    )
    const events = withEvents.flatMap(([id, waiting]) => (fresh.has(id) ? waiting : []))
    return { put: events.length, dropped: await insertWaiting(trx, events, mostBytes) }
  })
}

function waitingOf({ events }: Announcement, endpoints: Map<string, { id: string; event_types: string[] }[]>): NewWaiting[] {
  return events.flatMap((event) => {
    const takers = (endpoints.get(event.appId) ?? []).filter(({ event_types }) => isWanted(event_types, event.type))
    if (takers.length === 0) return []
    const shown = publicEvent(event)
    const text = JSON.stringify(shown)
    return takers.map(({ id }) => ({ endpointId: id, eventId: shown.id, userId: shown.userId ?? null, event: text }))
  })
}
