import type { Announcement } from '@herald/contracts/event'
import { Fault } from '@herald/contracts/fault'
import { failsEverybody, isLockedOut } from '@herald/service/health'
import { transact } from '@herald/service/postgres'
import { LRUCache } from 'lru-cache'
import { batchAfterMs, batchSize } from './core/batch.ts'
import { isWanted, publicEvent } from './core/public-event.ts'
import { endOf, followed, type Log } from './core/reading.ts'
import { insertCollected, insertEvents, type NewEvent } from './store/events.ts'
import { extendLogs, lockLogs } from './store/logs.ts'
import { changeQueues, lockQueues, type Queue } from './store/queues.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * No announcement of an app is stored for this long after its event log was found locked. Otherwise each of its announcements would wait 2 s, and
 * those of other apps behind them.
 */
const restMs = 5_000

/** Gives the function that commits announcements together, and says of each whether its events are stored. `onPut`: events wait to be frozen. */
export function openCollecting({ db }: Pick<Webhooks, 'db'>, onPut: () => void): (ready: Announcement[]) => Promise<boolean[]> {
  const resting = new LRUCache<string, true>({ max: 1_000, ttl: restMs })
  return async (ready) => {
    const mayGo = ready.map(({ events }) => !events.some(({ appId }) => resting.has(appId)))
    try {
      const { put } = await collectEvents(
        { db },
        ready.filter((_one, place) => mayGo[place]),
      )
      if (put > 0) onPut()
      return mayGo
    } catch (error) {
      if (ready.length === 1 && isLockedOut(error)) for (const { appId } of ready[0]?.events ?? []) resting.set(appId, true)
      throw error
    }
  }
}

/**
 * Stores an announcement's events; true when they are stored. An announcement that fails by its own fault is let go: its sender repeats it later and
 * later, for two days, while NATS would deliver it every 2 s.
 */
export async function takeAnnouncement({ collect, log }: Pick<Webhooks, 'collect' | 'log'>, announcement: Announcement): Promise<boolean> {
  try {
    return await collect(announcement)
  } catch (error) {
    if (Fault.is(error) || failsEverybody(error)) throw error
    const { announcementId, owner, events } = announcement
    log.error(
      { announcementId, owner, appId: events[0]?.appId, err: error },
      'the events of an announcement cannot be stored; its sender repeats it',
    )
    return false
  }
}

/**
 * Inserts the events of announcements into their apps' logs, in one transaction: each once, however many endpoints ask for it and however often it is
 * repeated. Drops events that no enabled endpoint asks for. Gives how many it inserted.
 */
export async function collectEvents({ db }: Pick<Webhooks, 'db'>, given: Announcement[]): Promise<{ put: number }> {
  if (given.length === 0) return { put: 0 }
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
