import type { FanOutPointer } from '@herald/contracts/batch'
import * as calls from '@herald/contracts/calls/audience'
import { appChanged } from '@herald/contracts/calls/gateway'
import { notFound, queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { bulkFanOutWork, fanOutWork } from '@herald/contracts/topology'
import { openBackground } from '@herald/service/background'
import { boundAnnouncements } from '@herald/service/bound-announcements'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { openAtOnce } from '@herald/service/at-once'
import { failsEverybody } from '@herald/service/health'
import { rememberListeners } from '@herald/service/listeners'
import { openPlaces } from '@herald/service/places'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { readForScrape } from '@herald/service/scrape'
import { startSweep } from '@herald/service/sweep'
import type { z } from 'zod'
import type { Audience } from './audience.ts'
import { answerImports } from './people/answer-imports.ts'
import { openAppSettings } from './app-settings.ts'
import { openBreaker } from './delivery/breaker.ts'
import { changeFlow } from './sends/change-flow.ts'
import { changeOwner, changeUser, changeUsers } from './people/change-users.ts'
import { commitTogether } from './commit-together.ts'
import type { Config } from './config.ts'
import { countSegment, type CountAsked } from './segments/count-segment.ts'
import { deviceDaysKept, openDeviceCounts, openDeviceDays, readDeviceDays } from './people/count-devices.ts'
import { deleteSubscription } from './people/delete-subscription.ts'
import { deleteUser, tellErasures } from './people/delete-user.ts'
import { dryRun } from './sends/dry-run.ts'
import { dropCampaigns } from './sends/drop-campaigns.ts'
import { eraseApp } from './erase-app.ts'
import { explainDevices, findDevicesOf } from './sends/explain-devices.ts'
import { exportUsers } from './people/export-users.ts'
import { fanOut } from './sends/fan-out.ts'
import { finishBatch } from './delivery/finish-batch.ts'
import { openLastNotified, withLastNotified } from './sends/last-notified.ts'
import { listOpenPushes } from './delivery/list-open-pushes.ts'
import { findTestDevices, listTestDevices, markTestDevice } from './people/test-devices.ts'
import { findUserByAddress, listUsers, readMaskedUser } from './people/read-users.ts'
import { openTags } from './people/list-tags.ts'
import { loginSubscription, logoutSubscription } from './people/login-logout.ts'
import { keepImports } from './people/manage-import.ts'
import { openToldNotes } from './sends/note-told.ts'
import { probeCircuits } from './delivery/probe-circuits.ts'
import { readWaves } from './sends/read-waves.ts'
import { readTaken, remember, rememberSends } from './delivery/read-taken.ts'
import { openRegistrations } from './people/register-subscription.ts'
import { removeAbandonedUsers } from './people/remove-abandoned-users.ts'
import { renewBatch } from './delivery/renew-batch.ts'
import { rotateSubscription } from './people/rotate-subscription.ts'
import { createSegment, replaceSegment } from './segments/save-segment.ts'
import { deleteAnnouncements } from './store/announcements.ts'
import { countOpenCircuits, listCircuits, listOpenCircuits, purgeGuarded } from './delivery/store/circuits.ts'
import { purgeDeviceDays } from './people/store/device-days.ts'
import { clearWaves, purgeCapClaims } from './sends/store/claims.ts'
import { findDueAges, makeUntakenDue } from './store/due.ts'
import { purgeErasedApps } from './store/erased-apps.ts'
import { clearSettled, purgeFanOuts } from './sends/store/fan-outs.ts'
import { findFormerDevices, purgeFormerDevices } from './people/store/former-devices.ts'
import { purgeGoneNotes } from './sends/store/last-notified.ts'
import { getDevice } from './people/store/user-reads.ts'
import { deleteSegment, findSegment, getSegment, listSegments } from './segments/store/segments.ts'
import { patchSubscription, startSession } from './people/store/subscriptions.ts'
import type { Tables } from './store/tables.ts'
import { findExternalIds, getUser } from './people/store/users.ts'
import { listTimeZones } from './sends/store/zones.ts'
import { spareTakers } from './delivery/spare-takers.ts'
import { openStarting } from './sends/start-sends.ts'
import { sweepDue } from './sweep-due.ts'
import { takeBatch, type Granted } from './delivery/take-batch.ts'
import { openTakers } from './delivery/takers.ts'
import { openTelling } from './sends/tell-started.ts'

/** One commit for everything that is ready, at most 500; above 5,000 waiting the caller is asked to come again. */
const shared = { limit: 500, maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody }

/** Retention is swept once a minute: it is measured in days. */
const purgeEveryMs = 60_000
/** Former devices of a person in one answer. */
const formerDevicesAtOnce = 500
/** Notes of deleted devices are kept for half a minute. */
const goneNotesEveryMs = 5_000

/** What is plugged into what. */
export async function wireAudience(service: Service<z.infer<typeof Config>>): Promise<void> {
  const { config, log } = service
  const { db, kept, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_AUDIENCE,
    poolSize: config.DATABASE_POOL_SIZE,
  })
  const bus = await openBus(service, watch)
  // Two connections are left to what is quick, and an app whose pages are slow leaves half of the others to the others' pages.
  const pagesAtOnce = Math.max(2, config.DATABASE_POOL_SIZE - 2)
  let someWaitUntil = 0
  const told = openToldNotes(kept, log)
  const audience: Audience = {
    ...{ db, bus, log },
    settingsOf: openAppSettings(bus),
    commit: commitTogether(db, shared),
    noteTold: (rows) => told.note(rows),
    haveWaiting: () => {
      someWaitUntil = performance.now() + 5_000
    },
    scan: openPlaces({ size: pagesAtOnce, share: Math.ceil(pagesAtOnce / 2) }),
    lastNotified: openLastNotified(service, { db, bus }),
  }
  // What is done for each send, however small.
  const ofSends: Audience = { ...audience, db: kept }
  const remembered = rememberSends()

  const takersSpared = spareTakers(audience, watch)
  const due = startSweep(service, watch, 'due', async () => {
    await takersSpared()
    const swept = await sweepDue(ofSends)
    if (swept.took > 0) audience.haveWaiting()
    return swept
  })
  bus.onReconnect(
    () =>
      void makeUntakenDue(db).then(
        () => due.poke(),
        (error: unknown) => log.debug({ err: error }, 'not due yet'),
      ),
  )
  const erasures = startSweep(service, watch, 'erasures', () => tellErasures(audience))
  startSweep(service, watch, 'settled', async () => ({ took: (await clearSettled(kept)) || (await clearWaves(kept)) ? 1 : 0 }))
  startSweep(service, watch, 'cap-claims', async () => ({ took: (await purgeCapClaims(db)) ? 1 : 0 }))
  boundAnnouncements(service, watch, db)
  startSweep(service, watch, 'abandoned-users', () => removeAbandonedUsers({ db }))
  startSweep(
    service,
    watch,
    'retention',
    everyMs(purgeEveryMs, async () => {
      await purgeErasedApps(db, config.FAN_OUT_RETENTION_DAYS)
      const more = await Promise.all([
        purgeFanOuts(db, config.FAN_OUT_RETENTION_DAYS),
        purgeGuarded(db),
        purgeDeviceDays(db, deviceDaysKept),
        purgeFormerDevices(db, config.LEDGER_RETENTION_DAYS),
      ])
      return more.includes(true)
    }),
  )

  startSweep(service, watch, 'device-days', openDeviceDays({ db, reads }))

  startSweep(
    service,
    watch,
    'imports',
    everyMs(purgeEveryMs, () => keepImports({ db })),
  )
  startSweep(
    service,
    watch,
    'gone-notes',
    everyMs(goneNotesEveryMs, () => purgeGoneNotes(db)),
  )

  const outageProbeMs = config.OUTAGE_PROBE_SECONDS * 1000
  const breaker = openBreaker(service, outageProbeMs)
  const probe = (asked: Parameters<typeof probeCircuits>[1]) => probeCircuits({ db, poke: () => due.poke() }, asked)
  const openCircuits = readForScrape(watch, () => countOpenCircuits(db))
  service.metrics.gauge('herald_circuit_open', 'Ways of apps to a provider that are closed to pushes, but for probes.', {
    labelNames: ['platform', 'environment'],
    async collect() {
      const open = await openCircuits()
      this.reset()
      for (const { platform, environment, count } of open ?? []) this.set({ platform, environment }, count)
    },
  })

  const dueAges = readForScrape(watch, () => findDueAges(db))
  service.metrics.gauge(
    'herald_due_age_seconds',
    'How long the oldest row that is due has been so; above 5 s the sweep does not keep up.',
    {
      labelNames: ['queue'],
      async collect() {
        const ages = await dueAges()
        this.reset()
        for (const { queue, seconds } of ages ?? []) this.set({ queue }, seconds)
      },
    },
  )
  const pagesCut = service.metrics.counter('herald_fan_out_pages_total', 'Pages of fan-outs cut into batches.')

  const maxHoldSeconds = config.BREAKER_MAX_HOLD_SECONDS
  // By turns of apps: one app's flood is a place in the next commit for another's.
  const byApp = { ...shared, turn: ({ appId = '' }: { appId?: string | undefined }) => appId }
  const take = group(
    (asked: (Parameters<typeof takeBatch>[1][number] & { appId?: string | undefined })[]) =>
      takeBatch({ db: kept, maxHoldSeconds, outageProbeMs }, asked),
    byApp,
  )
  const read = (granted: Granted[]) => readTaken({ db: kept, remembered }, granted)
  // Each lane reads for itself, so that a small batch does not wait behind 500 recipients of a large one.
  const readByApp = { ...shared, turn: ({ row }: Granted) => row.app_id }
  const readLane = { prompt: group(read, readByApp), bulk: group(read, { ...readByApp, limit: 8 }) }
  const renew = group(
    (takes: (Parameters<typeof renewBatch>[1][number] & { appId?: string | undefined })[]) => renewBatch({ db: kept }, takes),
    byApp,
  )
  const finish = group(
    (finishes: Parameters<typeof finishBatch>[1]) => finishBatch({ ...ofSends, breaker, poke: () => due.poke() }, finishes),
    byApp,
  )

  // One at a time: a count of a million devices keeps two cores busy, and pushes under way need theirs.
  const oneCount = openAtOnce({ atOnce: 1, mostWaiting: 50, waitMs: 4_000, full: () => tooManyReads(5) })
  const count = (asked: CountAsked) =>
    oneCount(
      () => reads((db) => countSegment({ db, lastNotified: audience.lastNotified }, asked), { withinMs: 18_500, turn: asked.appId }),
      asked.appId,
    )

  // A dry run is dearer than a count, and stands in the same line.
  bus.answer(calls.dryRun, (asked) =>
    oneCount(() => reads((reading) => dryRun({ ...audience, db: reading }, asked), { withinMs: 18_500, turn: asked.appId }), asked.appId),
  )

  // Three connections for registrations that wait for others' rows, two of them for one app's.
  const registrationsAlone = openAtOnce({ atOnce: 3, share: 2, mostWaiting: 1_000, waitMs: 2_500, full: queueUnavailable })
  bus.answer(calls.registerSubscription, openRegistrations({ db, kept }, shared, registrationsAlone))
  bus.answer(calls.findSegment, (request) => findSegment(db, request))
  const takeOne = async (request: Parameters<typeof take>[0]) => {
    await takersSpared()
    const given = await take(request)
    // Each that is taken makes room on its app's lane for one that waits.
    if (performance.now() < someWaitUntil) due.poke()
    return 'row' in given ? readLane[given.row.lane](given) : given
  }
  bus.answer(calls.takeBatch, takeOne)
  bus.answer(calls.takeBatches, async ({ batches }) => ({ answers: await Promise.all(batches.map(takeOne)) }))
  bus.answer(calls.renewBatch, renew)
  bus.answer(calls.finishBatch, async (request) => ({ answer: await finish(request) }))
  bus.answer(calls.finishBatches, async ({ batches }) => ({ answers: await Promise.all(batches.map(finish)) }))
  bus.answer(
    calls.dropCampaigns,
    group((settled) => dropCampaigns({ db: kept, told }, settled), shared),
  )
  bus.answer(calls.readCircuits, async ({ appId }) => ({ circuits: await reads((db) => listCircuits(db, appId), { turn: appId }) }))
  bus.answer(calls.listOpenCircuits, () => reads((db) => listOpenCircuits(db)))
  bus.answer(calls.probeCircuits, probe)
  bus.answer(calls.listOpenPushes, (request) => reads((db) => listOpenPushes({ db }, request), { turn: request.appId }))
  bus.answer(calls.findDevicesOf, (request) => reads((db) => findDevicesOf(db, request), { turn: request.appId }))
  bus.answer(calls.explainDevices, (request) => reads((db) => explainDevices(db, request), { turn: request.appId }))
  bus.answer(calls.listTags, openTags(reads))
  bus.answer(calls.readWaves, (request) => reads((db) => readWaves({ db }, request), { turn: request.appId }))
  // Who does not hear it probes within 30 s.
  bus.listen(appChanged, ({ appId }) => {
    probe({ appId, platform: null }).catch((error: unknown) => log.debug({ appId, err: error }, 'no probe was asked for'))
  })
  bus.answer(calls.changeFlow, (change) => changeFlow({ ...audience, poke: () => due.poke() }, change))
  bus.answer(calls.listTimeZones, async ({ appId }) => ({ zones: await listTimeZones(db, appId) }))
  bus.answer(calls.eraseAudienceOfApp, (app) => eraseApp({ db }, app))
  bus.answer(calls.hearAudienceListeners, ({ listeners }) => rememberListeners(db, listeners))
  bus.answer(calls.confirmAudienceAnnouncements, async ({ announcementIds }) => {
    if (announcementIds.length > 0) await deleteAnnouncements(db, announcementIds)
    return {}
  })

  bus.answer(calls.patchSubscription, async (request) => there(await patchSubscription(db, request)))
  bus.answer(calls.markTestDevice, (request) => markTestDevice(db, request))
  bus.answer(calls.listTestDevices, (request) => reads((db) => listTestDevices(db, request), { turn: request.appId }))
  bus.answer(calls.findTestDevices, (request) => reads((db) => findTestDevices(db, request), { turn: request.appId }))
  bus.answer(calls.startSession, async (request) => {
    const started = there(await startSession(db, request))
    return { ...started, lastSessionAt: started.lastSessionAt.toISOString() }
  })
  bus.answer(calls.loginSubscription, (request) => loginSubscription({ db }, request))
  bus.answer(calls.logoutSubscription, (request) => logoutSubscription({ db }, request))
  bus.answer(calls.changeOwner, (request) => changeOwner({ db }, request))
  bus.answer(calls.deleteSubscription, (request) => deleteSubscription({ db }, request))
  bus.answer(calls.rotateSubscription, (request) => rotateSubscription({ db }, request))

  bus.answer(calls.readUser, async ({ appId, user }) =>
    withLastNotified({ db, bus }, appId, await reads((db) => getUser(db, appId, user), { turn: appId })),
  )
  bus.answer(calls.changeUser, async (request) => {
    const changed = await changeUser({ db }, request)
    // The change is made, whether or not the tracker can say now when the devices were last sent to.
    return withLastNotified({ db, bus }, request.appId, changed).catch(() => changed)
  })
  // A batch of 500 users keeps a connection for about 50 ms. Two at once, by turns of apps: the others are for devices and sends.
  const batchesOfUsers = openAtOnce({ atOnce: 2, crowdedShare: 1, mostWaiting: 200, waitMs: 6_000, full: queueUnavailable })
  bus.answer(calls.changeUsers, async (request) => ({
    users: await batchesOfUsers(() => changeUsers({ db }, request), request.appId),
  }))
  bus.answer(calls.deleteUser, (request) => deleteUser({ db, poke: () => erasures.poke() }, request))
  bus.answer(calls.findExternalIds, async ({ appId, userIds }) => ({ externalIds: await findExternalIds(db, appId, userIds) }))

  bus.answer(calls.listUsers, (request) =>
    reads((db) => listUsers({ db, lastNotified: audience.lastNotified }, request), { turn: request.appId }),
  )
  bus.answer(calls.readMaskedUser, async (request) =>
    withLastNotified({ db, bus }, request.appId, await reads((db) => readMaskedUser(db, request), { turn: request.appId })),
  )
  bus.answer(calls.findUserByAddress, async (request) =>
    withLastNotified({ db, bus }, request.appId, await reads((db) => findUserByAddress(db, request), { turn: request.appId })),
  )
  bus.answer(calls.readDevice, async ({ appId, subscriptionId }) => {
    const device = await reads((db) => getDevice(db, appId, subscriptionId), { turn: appId })
    return { ...device, ...(await withLastNotified({ db, bus }, appId, { subscriptions: [device] })).subscriptions[0] }
  })
  bus.answer(calls.listFormerDevices, async ({ appId, userId, after }) => {
    const subscriptionIds = await reads((db) => findFormerDevices(db, { appId, userId, after, limit: formerDevicesAtOnce }), {
      turn: appId,
    })
    return { subscriptionIds, next: subscriptionIds.length === formerDevicesAtOnce ? (subscriptionIds.at(-1) ?? null) : null }
  })
  bus.answer(calls.exportUsers, (request) =>
    reads((db) => exportUsers({ db, lastNotified: audience.lastNotified }, request), { withinMs: 6_000, turn: request.appId }),
  )

  bus.answer(calls.createSegment, (request) => createSegment({ db }, request))
  bus.answer(calls.listSegments, (request) => reads((db) => listSegments(db, request), { turn: request.appId }))
  bus.answer(calls.readSegment, (request) => reads((db) => getSegment(db, request), { turn: request.appId }))
  bus.answer(calls.replaceSegment, (request) => replaceSegment({ db }, request))
  bus.answer(calls.deleteSegment, (request) => deleteSegment(db, request))
  bus.answer(calls.countSegment, count)
  bus.answer(calls.previewSegment, count)

  const inTurn = openAtOnce({ atOnce: 1, mostWaiting: 50, waitMs: 2_500, full: () => tooManyReads(5) })
  bus.answer(calls.countDevices, openDeviceCounts(reads, { inTurn }))
  bus.answer(calls.readDeviceDays, (request) => reads((db) => readDeviceDays(db, request), { turn: request.appId }))

  // Two lots at once, one of an app: a lot of 500 rows keeps a connection for about 100 ms, and the others are for devices and sends.
  const lotInTurn = openAtOnce({ atOnce: 2, share: 1, mostWaiting: 50, waitMs: 10_000, full: queueUnavailable })
  answerImports(bus, { db, reads, lotInTurn })

  const takers = openTakers()
  service.beforeStop('takers', () => takers.stop())
  bus.answer(calls.takeNext, (asked) => takers.wait(asked))
  const tellStarted = openTelling(ofSends)
  const background = openBackground(service, { what: 'small sends', limit: 2_000 })
  const startSends = openStarting(
    ofSends,
    (begun) => {
      // Its batches are asked for next, and as a rule here.
      if (begun.row.send) remember(remembered, begun.row.send)
      background(() => tellStarted(begun))
    },
    takers,
  )
  bus.answer(calls.startSends, async ({ sends }) => {
    await startSends(sends)
    return {}
  })
  startSweep(service, watch, 'told', async () => ({ took: await told.write() }))

  const cutPages = async (pointer: FanOutPointer) => pagesCut.inc(await fanOut(audience, pointer))
  // A small fan-out mostly waits for others' answers: with 8 at once 137 one-device sends a second went out, with 48 205
  // (medians of three, one machine). The pool bounds how many pages are cut at once; large sends never hold more than half of it.
  // More pointers are in hand than are worked on: an app has 64 on the lane at most, and behind them another's must not wait.
  const inWork = openPlaces({ size: 48, share: 40, crowdedShare: 8 })
  await bus.consume(fanOutWork, { slots: 160 }, (pointer) => inWork(pointer.appId ?? '', () => cutPages(pointer)))
  await bus.consume(bulkFanOutWork, { slots: Math.ceil(config.DATABASE_POOL_SIZE / 2) }, cutPages)
}

/** What was found, or Fault `not_found`. */
function there<T>(found: T | undefined): T {
  if (found === undefined) throw notFound()
  return found
}

/** A sweep that does its work once per interval of this process's own steady clock, and again at once while there is more of it. */
function everyMs(intervalMs: number, work: () => Promise<boolean>): () => Promise<{ took: number }> {
  let lastAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - lastAt < intervalMs) return { took: 0 }
    if (await work()) return { took: 1 }
    lastAt = performance.now()
    return { took: 0 }
  }
}
