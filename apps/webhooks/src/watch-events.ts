import { findExternalIds } from '@herald/contracts/calls/audience'
import { eventsSeen, eventsWatched, mostShownPerSecond, watchSeconds } from '@herald/contracts/calls/webhooks'
import type { Event } from '@herald/contracts/event'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import { transact } from '@herald/service/postgres'
import { publicEvent } from './core/public-event.ts'
import { noteListeners, noteWatch } from './store/listened-apps.ts'
import { tellListeners } from './tell-listeners.ts'
import type { Webhooks } from './webhooks.ts'

/** Events of an app that come within this time are shown together. */
const togetherMs = 100
const windowMs = 1_000
/** At most this many apps are watched at once; the app whose watch was renewed longest ago is forgotten. */
const mostApps = 1_000

type Watched = {
  until: number
  /** When the second began that `taken` counts. */
  windowAt: number
  taken: number
  waiting: Event[]
  dropped: number
  timer: NodeJS.Timeout | undefined
  /** The broadcasts before this one: each waits for the one before, so that the order holds. */
  told: Promise<void>
}

/**
 * A gateway watches the events of an app for the next 30 seconds. When it returns, tracker and audience announce all of them, and every process of webhooks
 * has been told to show what it takes over. Fault `queue_unavailable` when tracker or audience is away: the sweep tells both again while the watch lasts.
 */
export async function watchEvents({ db, bus }: Pick<Webhooks, 'db' | 'bus'>, { appId }: { appId: string }): Promise<Record<string, never>> {
  const isTold = await transact(db, async (trx) => {
    const known = await noteWatch(trx, appId)
    if (!known) await noteListeners(trx, appId)
    return known
  })
  bus.broadcast(eventsWatched, { appId })
  if (!isTold) await tellListeners({ db, bus }, [appId])
  return {}
}

/**
 * Shows gateways the events of apps that are watched, in the form that receivers get: at most 100 a second of an app, with the number of those that were
 * left out. Nothing is stored or repeated, so a gateway that misses a broadcast never gets it. External ids are looked up as for a delivery; while audience
 * is away events are shown without them. Gives the function that takes events which were collected. While no app is watched an event costs a look into an
 * empty map.
 */
export function openShowing({ bus, log }: { bus: Pick<Bus, 'call' | 'broadcast' | 'listen'>; log: Log }): (events: Event[]) => void {
  const apps = new Map<string, Watched>()

  const watchedNow = (appId: string): Watched | undefined => {
    const watched = apps.get(appId)
    if (watched && watched.until > performance.now()) return watched
    apps.delete(appId)
    return undefined
  }

  const plan = (appId: string, watched: Watched) => {
    if (watched.timer) return
    // When events were only left out, their number is told at the end of the second.
    const inMs = watched.waiting.length > 0 ? togetherMs : Math.max(togetherMs, watched.windowAt + windowMs - performance.now())
    watched.timer = setTimeout(() => {
      watched.timer = undefined
      const { waiting, dropped } = watched
      Object.assign(watched, { waiting: [], dropped: 0 })
      watched.told = watched.told.then(() => tell(appId, waiting, dropped))
    }, inMs).unref()
  }

  const tell = async (appId: string, events: Event[], dropped: number): Promise<void> => {
    try {
      const externalIds = await externalIdsOf(appId, events)
      const shown = events.map((event) => {
        const { userId = '', ...rest } = publicEvent(event)
        const externalId = externalIds[userId]
        return { ...rest, ...(userId === '' ? {} : { userId }), ...(externalId === undefined ? {} : { externalId }) }
      })
      bus.broadcast(eventsSeen, { appId, events: shown, dropped })
    } catch (error) {
      log.warn({ appId, err: error }, 'events of a watched app could not be shown')
    }
  }

  const externalIdsOf = async (appId: string, events: Event[]): Promise<Record<string, string>> => {
    const userIds = [...new Set(events.flatMap(({ userId }) => userId ?? []))]
    if (userIds.length === 0) return {}
    return bus.call(findExternalIds, { appId, userIds }).then(
      ({ externalIds }) => externalIds,
      () => ({}),
    )
  }

  bus.listen(eventsWatched, ({ appId }) => {
    const until = performance.now() + watchSeconds * 1000
    const known = watchedNow(appId) ?? { until, windowAt: 0, taken: 0, waiting: [], dropped: 0, timer: undefined, told: Promise.resolve() }
    // It is deleted first, so that it becomes the last: the map is in the order of renewal.
    apps.delete(appId)
    apps.set(appId, Object.assign(known, { until }))
    for (const oldest of apps.keys()) if (apps.size > mostApps) apps.delete(oldest)
  })

  return (events) => {
    if (apps.size === 0) return
    for (const event of events) {
      const watched = watchedNow(event.appId)
      if (!watched) continue
      const now = performance.now()
      if (now - watched.windowAt >= windowMs) Object.assign(watched, { windowAt: now, taken: 0 })
      if (watched.taken < mostShownPerSecond) {
        watched.taken += 1
        watched.waiting.push(event)
      } else watched.dropped += 1
      plan(event.appId, watched)
    }
  }
}
