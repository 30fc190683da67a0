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
 * Puts the events of announcements into the logs of their apps, in one transaction. An event is put once, however many endpoints ask for it. An
 * announcement is put once, though it is repeated until its owner hears, after the commit, that it is taken over. An event that no open endpoint asks for
 * is dropped. Gives how many events were put.
 */
export function collectEvents({ db }: Pick<Webhooks, 'db'>, announcements: Announcement[]): Promise<{ put: number }> {
  return transact(db, async (trx) => {
    const appIds = [...new Set(announcements.flatMap(({ events }) => events.map(({ appId }) => appId)))]
    const logs = await lockLogs(trx, appIds)
    if (logs.size === 0) return { put: 0 }
    const queues = await lockQueues(trx, [...logs.keys()])
    // An endpoint that was switched on or off, or asks for other types, since the log was last written does so from here on.
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
 * Whether the new events fill a batch of an endpoint that has read everything before them. An endpoint that is behind is looked at when it has taken a
 * delivery, or every second.
 */
const fillsBatch = (open: Queue[], before: Log, after: Log): boolean =>
  open.some(({ eventTypes }) => {
    const full = (log: Log) => Math.floor(endOf(log, eventTypes).count / batchSize)
    return full(after) > full(before)
  })
