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

/** Events of an app that arrive within this time are shown together. */
const togetherMs = 100
const windowMs = 1_000
/** A process watches at most this many apps at once. Above it the app whose watch was renewed longest ago is forgotten. */
const mostApps = 1_000

type Watched = {
  until: number
  /**
   * When the present second began. `taken` counts the events of this second that are shown, and `dropped` those left out since the last broadcast.
   */
  windowAt: number
  taken: number
  waiting: Event[]
  dropped: number
  timer: NodeJS.Timeout | undefined
  /** Ends when all earlier broadcasts of the app are sent. Each broadcast waits for the one before, which keeps their order. */
  told: Promise<void>
}

/**
 * Begins or renews a gateway's watch of an app's events, for 30 seconds. Tracker and audience then announce all events of the app. Fault
 * `queue_unavailable` when one does not answer; the sweep tells both again during the watch.
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
 * Shows gateways the events of watched apps as receivers get them, at most 100 of an app in a second, and the number left out. Nothing is stored or
 * repeated. Gives a function that takes stored announcements' events.
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
    // When events were only left out and none waits, their number is broadcast at the end of the second.
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
    // While audience does not answer, events are shown without external ids.
    return bus.call(findExternalIds, { appId, userIds }).then(
      ({ externalIds }) => externalIds,
      () => ({}),
    )
  }

  bus.listen(eventsWatched, ({ appId }) => {
    const until = performance.now() + watchSeconds * 1000
    const known = watchedNow(appId) ?? { until, windowAt: 0, taken: 0, waiting: [], dropped: 0, timer: undefined, told: Promise.resolve() }
    // The app's entry is deleted first, so that it becomes the last in the map, which is in the order of renewal.
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
