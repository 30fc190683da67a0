import { setTimeout as sleep } from 'node:timers/promises'
import { openSealer } from '@herald/auth/seal'
import type { Call } from '@herald/contracts/call'
import { confirmAudienceAnnouncements } from '@herald/contracts/calls/audience'
import { confirmTrackerAnnouncements } from '@herald/contracts/calls/tracker'
import type { Announcement } from '@herald/contracts/event'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { openBackground } from '@herald/service/background'
import { openBus } from '@herald/service/bus'
import { daily } from '@herald/service/daily'
import { group } from '@herald/service/group'
import { guardedLookupBy, resolveByHostsFile, resolveByServers, type Resolve } from '@herald/service/guarded-connect'
import { failsEverybody } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { openHousework } from '@herald/service/housework'
import { startSweep } from '@herald/service/sweep'
import { openWayOut } from '@herald/service/way-out'
import { LRUCache } from 'lru-cache'
import { openCollecting } from './collect-events.ts'
import type { Config } from './config.ts'
import { openDeliverer } from './deliver-due.ts'
import { freezeBatches } from './freeze-batches.ts'
import { openUrlCheck } from './http/check-url.ts'
import { openPost } from './http/post.ts'
import { houseEveryMs, openHousekeeping } from './keep-house.ts'
import { openMeasures } from './measures.ts'
import { recordAttempts, type Ended } from './record-attempts.ts'
import { reseal } from './reseal.ts'
import { openSecrets } from './secrets.ts'
import type { Tables } from './store/tables.ts'
import { openListenerSweep } from './tell-listeners.ts'
import { openShowing } from './watch-events.ts'
import { wireWebhooks } from './wire.ts'
import type { Webhooks } from './webhooks.ts'

/** One commit stores the events of at most this many announcements: up to 8,000 events, which are all in memory while they are written. */
const announcementsPerCommit = 8

/**
 * The sweeps `deliver` and `freeze` begin their runs at least this many milliseconds apart. What becomes due meanwhile shares the next commit, so a
 * busy app does not cost one commit per delivery.
 */
const deliverEveryMs = 20
const freezeEveryMs = 50
/** A process keeps in memory the bodies that it made or read lately, up to this many bytes in all, because a body may go to several endpoints. */
const bodyCacheBytes = 16_000_000

/** Starts webhooks. A test gives `resolve` in place of DNS. */
export async function startWebhooks(service: Service<Config>, given: { resolve?: Resolve } = {}): Promise<void> {
  const { config, log } = service
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  if (config.HTTPS_PROXY) log.info({ proxy: new URL(config.HTTPS_PROXY).host }, 'webhook endpoints are reached through a proxy')
  // In development names are resolved by the hosts file first: localhost, containers.
  const resolve = given.resolve ?? (allowPrivate ? resolveByHostsFile(resolveByServers()) : resolveByServers())
  const { db, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_WEBHOOKS,
    poolSize: config.DATABASE_POOL_SIZE,
    pooler: config.DATABASE_POOLER,
    readUrl: config.DATABASE_READ_URL,
  })
  const bus = await openBus(service, watch)
  const wayOut = openWayOut(config, { resolve, allowPrivate })
  const { post, close } = openPost({ allowPrivate, lookup: guardedLookupBy(resolve, { allowPrivate }), wayOut })
  service.onStop('connections', close)
  const { countAttempt, countDropped } = openMeasures(service.metrics, { db, watch })
  const shared = { maxWaiting: 1_000, full: queueUnavailable, isShared: failsEverybody }

  // Announcements that are ready share a commit (`collect`). Tracker or audience is told of many stored announcements in one call (`confirmWith`).
  const collect = group(
    openCollecting({ db }, () => freezing.poke()),
    { ...shared, limit: announcementsPerCommit, appOf: ({ events }: Announcement) => events[0]?.appId ?? '' },
  )
  const background = openBackground(service, { what: 'confirmations', limit: shared.maxWaiting })
  const confirmWith = (call: Call<{ announcementIds: string[] }, Record<string, never>>) => {
    const confirm = group(
      async (announcementIds: string[]) => {
        await bus.call(call, { announcementIds })
        return announcementIds.map(() => undefined)
      },
      // After a mistake (`internal`) each is told alone, because one may be the reason.
      { ...shared, limit: 200, isShared: (error) => !Fault.is(error, 'internal') },
    )
    return (announcementId: string) => background(() => confirm(announcementId))
  }
  const webhooks: Webhooks = {
    ...{ db, reads, bus, log, post, collect },
    mostBytes: config.WEBHOOK_ENDPOINT_MEGABYTES * 1_000_000,
    retryBaseMs: config.WEBHOOK_RETRY_BASE_SECONDS * 1000,
    retention: {
      logDays: config.WEBHOOK_LOG_RETENTION_DAYS,
      deliveredHours: config.WEBHOOK_BODY_DELIVERED_HOURS,
      undeliveredDays: config.WEBHOOK_BODY_UNDELIVERED_DAYS,
    },
    sealer: openSealer(config.SEAL_KEYS),
    secrets: openSecrets(),
    bodies: new LRUCache({ maxSize: bodyCacheBytes, sizeCalculation: ({ length }) => length + 1 }),
    checkUrl: openUrlCheck({ allowPrivate, resolve }),
    pokeDeliveries: () => delivering.poke(),
    confirm: { tracker: confirmWith(confirmTrackerAnnouncements), audience: confirmWith(confirmAudienceAnnouncements) },
  }

  /**
   * `full`: apps with an endpoint that may get no more deliveries until some have ended. `taking`: apps that were in `full` and of which an attempt
   * has ended since the last run of the sweep `freeze`.
   */
  const full = new Set<string>()
  const taking = new Set<string>()
  const record = group((ended: Ended[]) => recordAttempts(webhooks, ended), { ...shared, limit: 50, maxWaiting: 5_000 })
  const deliverer = openDeliverer(webhooks, {
    record: async (ended) => {
      const meaning = await record(ended)
      countAttempt(meaning)
      return meaning
    },
    onEnd: (appId) => {
      delivering.poke()
      if (!full.delete(appId)) return
      taking.add(appId)
      freezing.poke()
    },
  })
  service.onStop('deliveries', () => deliverer.finish())
  const deliverDue = atMostEvery(deliverEveryMs, () => deliverer.deliverDue())
  const delivering = startSweep(service, watch, 'deliver', deliverDue)
  const freezeDue = atMostEvery(freezeEveryMs, async () => {
    const also = [...taking]
    taking.clear()
    const frozen = await freezeBatches(webhooks, also)
    countDropped(frozen.dropped)
    for (const appId of frozen.full) full.add(appId)
    if (frozen.took > 0) delivering.poke()
    return frozen
  })
  const freezing = startSweep(service, watch, 'freeze', freezeDue)
  startSweep(service, watch, 'listeners', openListenerSweep(webhooks))
  startSweep(
    service,
    watch,
    'housekeeping',
    openHousework(webhooks.db, { name: 'housekeeping', everyMs: houseEveryMs }, openHousekeeping(webhooks, { isAway: failsEverybody })),
  )
  const resealAll = async () =>
    log.info(await reseal(webhooks), 'secrets were sealed with the first of the SEAL_KEYS; `left` still need another key')
  startSweep(service, watch, 'reseal', daily(resealAll))

  await wireWebhooks(bus, webhooks, openShowing({ bus, log }))
}

function atMostEvery<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let lastAt = Number.NEGATIVE_INFINITY
  return async () => {
    const restMs = lastAt + ms - performance.now()
    if (restMs > 0) await sleep(restMs)
    lastAt = performance.now()
    return work()
  }
}
