import { findExternalIds } from '@herald/contracts/calls/audience'
import { eventsSeen, eventsWatched, mostShownPerSecond, watchSeconds } from '@herald/contracts/calls/webhooks'
import type { Event } from '@herald/contracts/event'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import { publicEvent } from './core/public-event.ts'

/** What comes meanwhile goes along. */
const togetherMs = 100
const windowMs = 1_000
/** Apps that are watched at once; the one whose watch was renewed longest ago is forgotten. */
const mostApps = 1_000

type Watched = {
  until: number
  /** When the second began that `taken` counts. */
  windowAt: number
  taken: number
  waiting: Event[]
  dropped: number
  timer: NodeJS.Timeout | undefined
  /** What was told before: one after another, so that the order holds. */
  told: Promise<void>
}

/**
 * Tells gateways the events of apps that somebody watches, as receivers get them: at most 100 a second of an app, and how many were left out. Nothing is
 * stored or repeated: who misses it has missed it. External ids are looked up as for a delivery; while audience is away events go without. Answers what
 * takes events that were collected: while nobody watches they cost a look into an empty map.
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
    // What was only left out is told with the end of its second.
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
      log.warn({ appId, err: error }, 'watched events were not told')
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
    // Put in anew it is the last: the map is in the order of renewal.
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
