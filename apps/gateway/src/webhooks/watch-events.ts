import { eventsSeen, mostShownPerSecond, watchEvents } from '@herald/contracts/calls/webhooks'
import { Fault } from '@herald/contracts/fault'
import type { WebhookEvent } from '@herald/contracts/webhook'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import { apart } from '@herald/service/request-id'

/** A client that watches the events of an app. */
export type EventWatcher = {
  event(name: 'watching' | 'dropped', data: object): void
  events(name: 'event', all: readonly WebhookEvent[]): void
  comment(text: string): void
  isBlocked(): boolean
  end(): void
}
/** Sends a watcher the events from now on and gives the function that stops. Fault: queue_unavailable when too many watch or the gateway stops. */
export type Watch = (watcher: EventWatcher) => () => void

export type EventTail = {
  /** Gives a Watch once webhooks sends the app's events to this process. Faults: queue_unavailable, database_unavailable. */
  open(appId: string): Promise<Watch>
  /** Ends every stream; a client that wants to go on watching connects to another gateway. */
  close(): void
}

/**
 * The most streams that one process keeps open: `mostWatchers` for all apps together, `mostOfApp` for each app. It refuses a further one, so that
 * what it writes to watchers is bounded.
 */
const mostWatchers = 100
const mostOfApp = 20
/** A watch is renewed this often. The service webhooks keeps a watch for three times as long. */
const renewEveryMs = 10_000
/**
 * The gateway looks this often at the events that wait for a watcher. They wait because the watcher reads slowly, or has got as many events in this
 * second as it may.
 */
const lookEveryMs = 250
const windowMs = 1_000

type Told = { watcher: EventWatcher; waiting: WebhookEvent[]; dropped: number; windowAt: number; taken: number }
type App = { told: Set<Told>; renewedAt: number }

/**
 * Gives each watcher its app's events as webhooks receives them, at most 100 a second, and the number left out. Without a watcher the gateway asks
 * for none, so tracker and audience announce none. `isThere`: whether an app exists.
 */
export function openEventTail(
  { bus, log }: { bus: Pick<Bus, 'call' | 'listen' | 'onReconnect'>; log: Log },
  isThere: (appId: string) => Promise<boolean>,
): EventTail {
  const apps = new Map<string, App>()
  let watching = 0
  let closed = false
  let timers: NodeJS.Timeout[] = []

  bus.listen(eventsSeen, ({ appId, events, dropped }) => {
    for (const told of apps.get(appId)?.told ?? []) {
      const room = Math.max(0, mostShownPerSecond - told.waiting.length)
      told.waiting.push(...events.slice(0, room))
      told.dropped += dropped + Math.max(0, events.length - room)
      write(told)
    }
  })
  bus.onReconnect(() => void renewAll())

  const write = (told: Told) => {
    const { watcher, waiting, dropped } = told
    if (watcher.isBlocked()) return
    const now = performance.now()
    if (now - told.windowAt >= windowMs) Object.assign(told, { windowAt: now, taken: 0 })
    const taken = waiting.splice(0, mostShownPerSecond - told.taken)
    told.taken += taken.length
    if (taken.length > 0) watcher.events('event', taken)
    if (dropped === 0 || watcher.isBlocked()) return
    told.dropped = 0
    watcher.event('dropped', { dropped })
  }

  const renewAll = async () => {
    await Promise.all([...apps].map(([appId, app]) => renew(appId, app)))
  }
  const renew = async (appId: string, app: App) => {
    try {
      if (!(await isThere(appId))) return endApp(appId, app)
      await bus.call(watchEvents, { appId })
      app.renewedAt = performance.now()
    } catch (error) {
      if (!Fault.is(error)) log.error({ appId, err: error }, 'a watch of events was not renewed')
      for (const { watcher } of app.told) watcher.comment('waiting')
    }
  }
  const endApp = (appId: string, app: App) => {
    apps.delete(appId)
    for (const { watcher } of app.told) watcher.end()
  }

  /**
   * Starts the timers with the first watcher and stops them after the last one. They run long after the first watcher's request, so they are no part
   * of that request's trace.
   */
  const keepTime = () => {
    if (apps.size === 0 || closed) {
      for (const timer of timers) clearInterval(timer)
      timers = []
    } else if (timers.length === 0) {
      const lookAll = () => {
        for (const { told } of apps.values()) for (const one of told) write(one)
      }
      timers = apart(() => [setInterval(() => void renewAll(), renewEveryMs).unref(), setInterval(lookAll, lookEveryMs).unref()])
    }
  }

  const follow = (appId: string, renewedAt: number, watcher: EventWatcher): (() => void) => {
    const app = apps.get(appId) ?? { told: new Set(), renewedAt }
    if (closed || watching >= mostWatchers || app.told.size >= mostOfApp)
      throw new Fault('queue_unavailable', 'Too many streams are open here. Try again shortly.')
    const told: Told = { watcher, waiting: [], dropped: 0, windowAt: 0, taken: 0 }
    apps.set(appId, app)
    app.told.add(told)
    watching += 1
    keepTime()
    watcher.event('watching', { appId, mostPerSecond: mostShownPerSecond })
    return () => {
      if (app.told.delete(told)) watching -= 1
      // The watch of an app without watchers is not renewed, so webhooks forgets it within 30 s.
      if (app.told.size === 0 && apps.get(appId) === app) apps.delete(appId)
      keepTime()
    }
  }

  return {
    async open(appId) {
      const known = apps.get(appId)
      const isFresh = known !== undefined && performance.now() - known.renewedAt < 2 * renewEveryMs
      if (!isFresh) await bus.call(watchEvents, { appId })
      const renewedAt = isFresh ? known.renewedAt : performance.now()
      return (watcher) => follow(appId, renewedAt, watcher)
    },
    close() {
      closed = true
      keepTime()
      for (const [appId, app] of apps) endApp(appId, app)
    },
  }
}
