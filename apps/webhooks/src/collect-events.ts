import type { Announcement } from '@herald/contracts/event'
import { transact } from '@herald/service/postgres'
import { batchAfterMs, batchSize } from './core/batch.ts'
import { isWanted, publicEvent } from './core/public-event.ts'
import { endOf, followed, type Log } from './core/reading.ts'
import { insertCollected, insertEvents, type NewEvent } from './store/events.ts'
import { extendLogs, lockLogs } from './store/logs.ts'
import { changeQueues, lockQueues, type Queue } from './store/queues.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Inserts the events of announcements into the event logs of their apps, in one transaction. An event is inserted once, however many endpoints ask
 * for it. The events of an announcement are inserted once, though it is repeated until tracker or audience is told, after the commit, that webhooks
 * has it. An event is dropped when no endpoint that is switched on asks for it. Gives how many events were inserted.
 */
export function collectEvents({ db }: Pick<Webhooks, 'db'>, given: Announcement[]): Promise<{ put: number }> {
  // An announcement and its repeat may both be among those that are ready.
  const announcements = [...new Map(given.map((one) => [one.announcementId, one])).values()]
  return transact(db, async (trx) => {
    const appIds = [...new Set(announcements.flatMap(({ events }) => events.map(({ appId }) => appId)))]
    const logs = await lockLogs(trx, appIds)
    if (logs.size === 0) return { put: 0 }
    const queues = await lockQueues(trx, [...logs.keys()])
    // For an endpoint that was switched on or off, or has changed its types, since events were last inserted, the change holds from here on.
    const moved = queues.flatMap((queue) => {
      const log = logs.get(queue.appId)
      const readings = log && followed(queue.readings, queue, log)
      return readings ? [{ endpointId: queue.endpointId, readings }] : []
    })
    if (moved.length > 0) await changeQueues(trx, moved)

    const openOf = Map.groupBy(
      queues.filter(({ isOpen }) => isOpen),
      ({ appId }) => appId,
    )
    const asked = new Map([...openOf].map(([appId, open]) => [appId, [...new Set(open.flatMap(({ eventTypes }) => eventTypes))]]))
    const wanted = announcements.flatMap(({ announcementId, events }) => {
      const some = events.filter(({ appId, type }) => isWanted(asked.get(appId) ?? [], type))
      return some.length > 0 ? [{ announcementId, events: some }] : []
    })
    if (wanted.length === 0) return { put: 0 }
    const fresh = await insertCollected(
      trx,
      wanted.map(({ announcementId }) => announcementId),
    )
    const events = wanted.flatMap(({ announcementId, events }) => (fresh.has(announcementId) ? events : []))
    if (events.length === 0) return { put: 0 }

    const extended = new Map<string, Log>()
    const put = events.map((event): NewEvent => {
      const { appId, type } = event
      const { head, totals } = extended.get(appId) ?? logs.get(appId) ?? { head: 0, totals: {} }
      const shown = publicEvent(event)
      const text = JSON.stringify(shown)
      const [count, bytes, deletedTo] = totals[type] ?? [0, 0, head]
      extended.set(appId, {
        head: head + 1,
        totals: { ...totals, [type]: [count + 1, bytes + Buffer.byteLength(text), deletedTo] },
      })
      return { appId, type, place: head + 1, userId: shown.userId ?? null, event: text }
    })
    await insertEvents(trx, put)
    await extendLogs(
      trx,
      [...extended].map(([appId, log]) => {
        const isFull = fillsBatch(openOf.get(appId) ?? [], logs.get(appId) ?? log, log)
        return { appId, log, dueInMs: isFull ? 0 : batchAfterMs }
      }),
    )
    return { put: put.length }
  })
}

/**
 * Says whether the new events fill a batch of an endpoint that has read everything before them. An endpoint that is behind gets its next batches when
 * one of its deliveries has ended, or within a second.
 */
const fillsBatch = (open: Queue[], before: Log, after: Log): boolean =>
  open.some(({ eventTypes }) => {
    const full = (log: Log) => Math.floor(endOf(log, eventTypes).count / batchSize)
    return full(after) > full(before)
  })
