import { openSealer } from '@herald/auth/seal'
import type { Call } from '@herald/contracts/call'
import { confirmAudienceAnnouncements } from '@herald/contracts/calls/audience'
import { confirmTrackerAnnouncements } from '@herald/contracts/calls/tracker'
import * as calls from '@herald/contracts/calls/webhooks'
import type { Announcement } from '@herald/contracts/event'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { announcements } from '@herald/contracts/topology'
import { openBus } from '@herald/service/bus'
import { daily } from '@herald/service/daily'
import { group } from '@herald/service/group'
import { guardedLookupBy, resolveByHostsFile, resolveByServers, type Resolve } from '@herald/service/guarded-connect'
import { failsEverybody } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { LRUCache } from 'lru-cache'
import { collectEvents } from './collect-events.ts'
import type { Config } from './config.ts'
import { openDeliverer } from './deliver-due.ts'
import { eraseApp } from './erase-app.ts'
import { eraseUser } from './erase-user.ts'
import { exportDeliveries } from './export-deliveries.ts'
import { freezeBatches } from './freeze-batches.ts'
import { openUrlCheck } from './http/check-url.ts'
import { openPost } from './http/post.ts'
import { openHousekeeping } from './keep-house.ts'
import { listDeliveries } from './list-deliveries.ts'
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks, rotateSecret, testWebhook } from './manage-endpoint.ts'
import { openMeasures } from './measure.ts'
import { readDelivery } from './read-delivery.ts'
import { recordAttempts, type Ended } from './record-attempts.ts'
import { replayDelivery } from './replay-delivery.ts'
import { reseal } from './reseal.ts'
import { openSecrets } from './secrets.ts'
import { openShowing } from './show-events.ts'
import { getEndpoint } from './store/endpoints.ts'
import type { Tables } from './store/tables.ts'
import { sweepListeners } from './tell-listeners.ts'
import { watchEvents } from './watch-events.ts'
import type { Webhooks } from './webhooks.ts'

/** Announcements per commit: up to 8,000 events, all of them in memory while they are written. */
const announcementsPerCommit = 8
/** Fetched at once: those of a commit, and two more commits' that wait. */
const announcementsInHand = 24

/** Between two looks for what is due: what becomes due meanwhile goes along, so that a busy app costs one commit and not one per delivery. */
const deliverEveryMs = 20
const freezeEveryMs = 50
/** Of bodies that go to several endpoints, or again soon. */
const bodyCacheBytes = 16_000_000

/** What is plugged into what: announcements to queues, queues to deliveries, deliveries to receivers, and the administration. */
export async function wireWebhooks(service: Service<Config>, given: { resolve?: Resolve } = {}): Promise<void> {
  const { config, log } = service
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  // In development names are those of the machine: localhost, containers.
  const resolve = given.resolve ?? (allowPrivate ? resolveByHostsFile(resolveByServers()) : resolveByServers())
  const sealer = openSealer(config.SEAL_KEYS)
  const { db, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_WEBHOOKS,
    poolSize: config.DATABASE_POOL_SIZE,
  })
  const bus = await openBus(service, watch)
  const { post, close } = openPost({ allowPrivate, lookup: guardedLookupBy(resolve, { allowPrivate }) })
  service.onStop('connections', close)
  const mostBytes = config.WEBHOOK_ENDPOINT_MEGABYTES * 1_000_000
  const webhooks: Webhooks = {
    db,
    mostBytes,
    bus,
    log,
    sealer,
    secrets: openSecrets(),
    bodies: new LRUCache({ maxSize: bodyCacheBytes, sizeCalculation: ({ length }) => length + 1 }),
    post,
    checkUrl: openUrlCheck({ allowPrivate, resolve }),
  }

  const { countAttempt, countDropped } = openMeasures(service.metrics, { db, watch })

  /** Apps with an endpoint that gets no more before it has taken what it has; and those of them where one has taken something since the last look. */
  const full = new Set<string>()
  const taking = new Set<string>()
  const record = group((ended: Ended[]) => recordAttempts({ db, retryBaseMs: config.WEBHOOK_RETRY_BASE_SECONDS * 1000 }, ended), {
    limit: 50,
    maxWaiting: 5_000,
    full: queueUnavailable,
    isShared: failsEverybody,
  })
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
  const delivering = startSweep(
    service,
    watch,
    'deliver',
    atMostEvery(deliverEveryMs, () => deliverer.deliverDue()),
  )
  const freezing = startSweep(
    service,
    watch,
    'freeze',
    atMostEvery(freezeEveryMs, async () => {
      const also = [...taking]
      taking.clear()
      const frozen = await freezeBatches(webhooks, also)
      countDropped(frozen.dropped)
      for (const appId of frozen.full) full.add(appId)
      if (frozen.took > 0) delivering.poke()
      return frozen
    }),
  )
  startSweep(service, watch, 'listeners', () => sweepListeners(webhooks))
  const retention = {
    logDays: config.WEBHOOK_LOG_RETENTION_DAYS,
    deliveredHours: config.WEBHOOK_BODY_DELIVERED_HOURS,
    undeliveredDays: config.WEBHOOK_BODY_UNDELIVERED_DAYS,
  }
  startSweep(service, watch, 'housekeeping', openHousekeeping({ db, log, isAway: failsEverybody }, retention))
  startSweep(
    service,
    watch,
    'reseal',
    daily(async () => log.info(await reseal({ db, sealer }), 'sealed anew with the first key; what is left needs another')),
  )

  bus.answer(calls.createWebhook, (request) => createWebhook(webhooks, request))
  bus.answer(calls.listWebhooks, (request) => reads((db) => listWebhooks({ db }, request), { turn: request.appId }))
  bus.answer(calls.readWebhook, (request) => reads((db) => getEndpoint(db, request), { turn: request.appId }))
  bus.answer(calls.changeWebhook, (request) => changeWebhook(webhooks, request))
  bus.answer(calls.deleteWebhook, (request) => deleteWebhook(webhooks, request))
  bus.answer(calls.enableWebhook, (request) => changeWebhook(webhooks, { ...request, changes: { enabled: true } }))
  bus.answer(calls.rotateWebhookSecret, (request) => rotateSecret(webhooks, request))
  bus.answer(calls.testWebhook, (request) => testWebhook(webhooks, request))
  bus.answer(calls.listDeliveries, (request) => reads((db) => listDeliveries({ db }, request), { turn: request.appId }))
  bus.answer(calls.exportDeliveries, (request) => reads((db) => exportDeliveries({ db }, request), { turn: request.appId }))
  bus.answer(calls.readDelivery, (request) => reads((db) => readDelivery({ db }, request), { turn: request.appId }))
  bus.answer(calls.replayDelivery, (request) => replayDelivery({ db, poke: () => delivering.poke() }, request))
  bus.answer(calls.eraseUser, (request) => eraseUser(webhooks, request))
  bus.answer(calls.eraseWebhooksOfApp, (request) => eraseApp(webhooks, request))

  const show = openShowing({ bus, log })
  bus.answer(calls.watchEvents, (request) => watchEvents({ db, bus }, request))

  // One commit in flight takes along everything that is ready, and each owner hears of all of it in one call.
  const collect = group(
    async (ready: Announcement[]) => {
      const { put } = await collectEvents({ db }, ready)
      if (put > 0) freezing.poke()
      return ready.map(() => undefined)
    },
    {
      limit: announcementsPerCommit,
      maxWaiting: 1_000,
      full: queueUnavailable,
      isShared: failsEverybody,
      turn: ({ events }) => events[0]?.appId ?? '',
    },
  )
  const confirmer = (owner: Call<{ announcementIds: string[] }, Record<string, never>>) =>
    group(
      async (announcementIds: string[]) => {
        const answer = await bus.call(owner, { announcementIds })
        return announcementIds.map(() => answer)
      },
      { limit: 200, maxWaiting: 1_000, full: queueUnavailable, isShared: (error) => Fault.is(error) },
    )
  const confirm = { tracker: confirmer(confirmTrackerAnnouncements), audience: confirmer(confirmAudienceAnnouncements) }

  await bus.consume(announcements, { slots: announcementsInHand }, async (announcement) => {
    await collect(announcement)
    show(announcement.events)
    // The owner's row goes only now, when the events are ours.
    await confirm[announcement.owner](announcement.announcementId)
  })
}

/** Work that begins at most once in so many milliseconds. */
function atMostEvery<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let lastAt = Number.NEGATIVE_INFINITY
  return async () => {
    const restMs = lastAt + ms - performance.now()
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    lastAt = performance.now()
    return work()
  }
}
