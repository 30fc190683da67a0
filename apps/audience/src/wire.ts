import * as calls from '@herald/contracts/calls/audience'
import { appChanged } from '@herald/contracts/calls/gateway'
import { queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { deleteAnnouncements } from '@herald/service/announcements'
import { openAtOnce } from '@herald/service/at-once'
import type { UserAddress } from '@herald/contracts/user'
import { faultOf, type Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { rememberListeners } from '@herald/service/listeners'
import type { Reads } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { listOpenPushes } from './delivery/list-open-pushes.ts'
import type { Dispatchers } from './delivery/serve-dispatchers.ts'
import { listCircuits, listOpenCircuits } from './delivery/store/circuits.ts'
import { listSlowed } from './delivery/store/provider-rates.ts'
import type { Takers } from './delivery/takers.ts'
import { probeCircuits } from './delivery/update-circuits.ts'
import { eraseApp } from './erase-app.ts'
import { deviceWithLastNotified, withLastNotified, withLastNotifiedIfKnown, type WithDevices } from './last-notified.ts'
import { deleteActivityToken, putActivityToken } from './people/activity-tokens.ts'
import { answerImports } from './people/answer-imports.ts'
import { beginSession, changeSubscription } from './people/change-subscription.ts'
import { changeOwner, changeUser, changeUsers } from './people/change-users.ts'
import { deleteSubscription } from './people/delete-subscription.ts'
import { deleteUser } from './people/delete-user.ts'
import { exportUsers } from './people/export-users.ts'
import { listFormerDevices } from './people/list-former-devices.ts'
import { openTags } from './people/list-tags.ts'
import { loginSubscription, logoutSubscription } from './people/login-logout.ts'
import { openDeviceCounts, readDeviceDays } from './people/count-devices.ts'
import { findUserByAddress, listUsers, readMaskedUser } from './people/read-users.ts'
import { changePreferences, readPreferences } from './people/preferences.ts'
import { readInboxOwner } from './people/read-inbox-owner.ts'
import { openPeopleTurns } from './people/people-turns.ts'
import { openRegistrations } from './people/register-subscription.ts'
import { addressesOfRotation, rotateSubscription } from './people/rotate-subscription.ts'
import { findConverters } from './people/store/converters.ts'
import { getDevice } from './people/store/user-reads.ts'
import { findExternalIds, getUser, userKeyOf } from './people/store/users.ts'
import { findTestDevices, listTestDevices, markTestDevice } from './people/test-devices.ts'
import { countSegment, type CountAsked } from './segments/count-segment.ts'
import { createSegment, replaceSegment } from './segments/save-segment.ts'
import { deleteSegment, findSegment, getSegment, listSegments } from './segments/store/segments.ts'
import { changeFlow } from './sends/change-flow.ts'
import { dropCampaigns } from './sends/drop-campaigns.ts'
import { dryRun } from './sends/dry-run.ts'
import { explainDevices, findDevicesOf } from './sends/explain-devices.ts'
import type { ToldNotes } from './sends/note-told.ts'
import { readWaves } from './sends/read-waves.ts'
import { findScan } from './sends/store/pages.ts'
import type { openStarting } from './sends/start-sends.ts'
import { listTimeZones } from './sends/store/zones.ts'
import type { Db, Tables } from './store/tables.ts'

type OfApp = { appId: string }

type Wiring = {
  audience: Audience
  /** Database connections that keep query plans, for statements that run for each send or registration. */
  frequentDb: Db
  reads: Reads<Tables>
  dispatchers: Dispatchers
  takers: Takers
  startSends: ReturnType<typeof openStarting>
  told: ToldNotes
  /** Makes the sweep look at once for rows whose `due_at` has passed. */
  poke: () => void
  /** Makes the sweep look at once for erased users of whom tracker and webhooks were not told. */
  tellErasures: () => void
}

/** Connects each call to the function that answers it. */
export function wireAudience(
  bus: Bus,
  { audience, frequentDb, reads, dispatchers, takers, startSends, told, poke, tellErasures }: Wiring,
): void {
  const { db, log } = audience
  /** At most 500 requests share a commit. While 5,000 requests wait, a further one is answered with the fault `queue_unavailable`. */
  const shared = { limit: 500, maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody }
  /** Wraps a function that only reads: it runs on the database connections for reads, and when these are busy, apps take turns. */
  const onReads =
    <Request extends OfApp, Answer>(flow: (audience: Audience, request: Request) => Promise<Answer>, limits: { withinMs?: number } = {}) =>
    (request: Request) =>
      reads((ofReads) => flow({ ...audience, db: ofReads }, request), { ...limits, appId: request.appId })
  /** Wraps a function that needs only the database, like `onReads`. */
  const querying = <Request extends OfApp, Answer>(query: (ofReads: Db, request: Request) => Promise<Answer>) =>
    onReads(({ db: ofReads }, request: Request) => query(ofReads, request))
  /** Wraps a query for a user with devices, like `querying`, and completes `lastNotifiedAt` of the devices from the ledger. */
  const completed =
    <Request extends OfApp, Answer extends WithDevices>(query: (ofReads: Db, request: Request) => Promise<Answer>) =>
    async (request: Request) =>
      withLastNotified(audience, request.appId, await querying(query)(request))

  /** Answers each batch by itself: a batch that fails, of whatever app, does not fail the other batches of its call. */
  const eachAlone = async <Asked, Answer>(batches: Asked[], answer: (asked: Asked) => Promise<Answer>) => ({
    answers: await Promise.all(
      batches.map((asked) =>
        answer(asked).catch((error: unknown): calls.Failed => ({ failed: faultOf(error, { call: 'batches' }, audience).code })),
      ),
    ),
  })

  // Calls of dispatchers, and calls about pushes and circuits.
  bus.answer(calls.takeBatch, dispatchers.take)
  bus.answer(calls.takeBatches, ({ batches }) => eachAlone(batches, dispatchers.take))
  const by = newId()
  bus.answer(calls.takeNext, async (asked) => ({ ...(await takers.wait(asked)), by }))
  bus.answer(calls.renewBatch, dispatchers.renew)
  bus.answer(calls.finishBatch, async (request) => ({ answer: await dispatchers.finish(request) }))
  bus.answer(calls.finishBatches, ({ batches }) => eachAlone(batches, dispatchers.finish))
  bus.answer(calls.listOpenPushes, onReads(listOpenPushes))
  bus.answer(
    calls.readCircuits,
    onReads(async ({ db: ofReads }, { appId }) => ({
      circuits: await listCircuits(ofReads, appId),
      slowed: await listSlowed(ofReads, appId),
    })),
  )
  bus.answer(calls.listOpenCircuits, () => reads((ofReads) => listOpenCircuits(ofReads)))
  bus.answer(calls.probeCircuits, (request) => probeCircuits({ db, poke }, request))
  // If the broadcast is lost, the circuits are still probed at their usual times.
  bus.listen(appChanged, ({ appId }) => {
    probeCircuits({ db, poke }, { appId, platform: null }).catch((error: unknown) =>
      log.debug({ appId, err: error }, 'no probe was asked for'),
    )
  })

  // Sends.
  bus.answer(calls.startSends, async ({ sends }) => {
    await startSends(sends)
    return {}
  })
  bus.answer(
    calls.dropCampaigns,
    group((settled) => dropCampaigns({ db: frequentDb, told }, settled), shared),
  )
  bus.answer(calls.changeFlow, (change) => changeFlow({ ...audience, poke }, change))
  bus.answer(calls.readWaves, onReads(readWaves))
  bus.answer(calls.readScan, (of) => findScan(db, of))
  bus.answer(calls.listTimeZones, async ({ appId }) => ({ zones: await listTimeZones(db, appId) }))
  bus.answer(calls.findDevicesOf, onReads(findDevicesOf))
  bus.answer(calls.explainDevices, onReads(explainDevices))

  // Two counts of different apps and one dry run at a time (spec: limits/counts-apart): a count of a million devices keeps two cores busy. Together
  // they leave two of the connections for reads (start.ts).
  const dear = { share: 1, mostWaiting: 50, waitMs: 4_000, full: () => tooManyReads(5) }
  const counting =
    <Request extends OfApp, Answer>(
      places: ReturnType<typeof openAtOnce>,
      flow: (audience: Audience, request: Request) => Promise<Answer>,
    ) =>
    (request: Request) =>
      places(() => onReads(flow, { withinMs: 18_500 })(request), request.appId)
  bus.answer(calls.dryRun, counting(openAtOnce({ ...dear, atOnce: 1 }), dryRun))

  // Live Activities.
  bus.answer(calls.putActivityToken, (request) => putActivityToken({ db }, request))
  bus.answer(calls.deleteActivityToken, (request) => deleteActivityToken({ db }, request))

  // Segments.
  const count = counting(openAtOnce({ ...dear, atOnce: 2 }), (of: Audience, request: CountAsked) => countSegment(of, request))
  bus.answer(calls.createSegment, (request) => createSegment({ db }, request))
  bus.answer(calls.listSegments, querying(listSegments))
  bus.answer(calls.readSegment, querying(getSegment))
  bus.answer(calls.findSegment, (request) => findSegment(db, request))
  bus.answer(calls.replaceSegment, (request) => replaceSegment({ db }, request))
  bus.answer(calls.deleteSegment, (request) => deleteSegment(db, request))
  bus.answer(calls.countSegment, count)
  bus.answer(calls.previewSegment, count)

  // Devices. Calls about one device or user wait for one another in this process, without a connection.
  const turns = openPeopleTurns()
  type Changing<Request, Answer> = (of: { db: Db; poke: () => void }, request: Request) => Promise<Answer>
  /** Wraps a function that changes devices or users: it runs in order by the keys that `keysOf` gives, and apps take turns. */
  const changing =
    <Request extends OfApp, Answer>(keysOf: (request: Request) => string[], flow: Changing<Request, Answer>) =>
    (request: Request) =>
      turns.inOrder(keysOf(request), () => turns.inTurn(() => flow({ db, poke: tellErasures }, request), request.appId))
  const ofDevice = ({ appId, subscriptionId }: OfApp & { subscriptionId: string }) => [`${appId} ${subscriptionId}`]
  const ofUser = ({ appId, user }: OfApp & { user: UserAddress }) => [keyOfUser(appId, user)]
  bus.answer(calls.registerSubscription, openRegistrations({ db, frequentDb }, shared, turns))
  bus.answer(calls.patchSubscription, changing(ofDevice, changeSubscription))
  bus.answer(calls.startSession, changing(ofDevice, beginSession))
  const byLogin = (request: OfApp & { subscriptionId: string; externalId: string }) => [...ofDevice(request), userKeyOf(request)]
  bus.answer(calls.loginSubscription, changing(byLogin, loginSubscription))
  bus.answer(calls.logoutSubscription, changing(ofDevice, logoutSubscription))
  bus.answer(calls.changeOwner, changing(ofDevice, changeOwner))
  const ofPerson = ({ appId, of }: OfApp & { of: calls.PreferencesOf }) =>
    'subscriptionId' in of ? ofDevice({ appId, ...of }) : [keyOfUser(appId, of)]
  bus.answer(calls.changePreferences, changing(ofPerson, changePreferences))
  bus.answer(calls.readPreferences, querying(readPreferences))
  bus.answer(calls.readInboxOwner, querying(readInboxOwner))
  bus.answer(calls.deleteSubscription, changing(ofDevice, deleteSubscription))
  bus.answer(calls.rotateSubscription, changing(addressesOfRotation, rotateSubscription))
  bus.answer(calls.markTestDevice, changing(ofDevice, markTestDevice))
  bus.answer(calls.listTestDevices, querying(listTestDevices))
  bus.answer(calls.findTestDevices, querying(findTestDevices))
  bus.answer(calls.readDevice, async ({ appId, subscriptionId }) =>
    deviceWithLastNotified(audience, appId, await reads((ofReads) => getDevice(ofReads, appId, subscriptionId), { appId })),
  )
  bus.answer(calls.listFormerDevices, onReads(listFormerDevices))
  const devicesInTurn = openAtOnce({ atOnce: 1, mostWaiting: 50, waitMs: 2_500, full: () => tooManyReads(5) })
  bus.answer(calls.countDevices, openDeviceCounts(reads, { inTurn: devicesInTurn }))
  bus.answer(calls.readDeviceDays, querying(readDeviceDays))

  // Users.
  bus.answer(
    calls.readUser,
    completed((ofReads, { appId, user }) => getUser(ofReads, appId, user)),
  )
  bus.answer(calls.readMaskedUser, completed(readMaskedUser))
  bus.answer(calls.findUserByAddress, completed(findUserByAddress))
  const changeOneUser = changing(ofUser, changeUser)
  bus.answer(calls.changeUser, async (request) => withLastNotifiedIfKnown(audience, request.appId, await changeOneUser(request)))
  // A batch of 500 users keeps a connection for about 50 ms. At most two batches run at once, and apps take turns, so that the other connections stay
  // free for devices and sends.
  const batchesOfUsers = openAtOnce({ atOnce: 2, crowdedShare: 1, mostWaiting: 200, waitMs: 6_000, full: queueUnavailable })
  bus.answer(calls.changeUsers, async (request) => {
    const { appId } = request
    const keys = request.users.map(({ userId, externalId = '' }) => keyOfUser(appId, userId === undefined ? { externalId } : { userId }))
    return { users: await turns.inOrder([...new Set(keys)], () => batchesOfUsers(() => changeUsers({ db }, request), appId)) }
  })
  bus.answer(calls.deleteUser, changing(ofUser, deleteUser))
  bus.answer(calls.findExternalIds, async ({ appId, userIds }) => ({ externalIds: await findExternalIds(db, appId, userIds) }))
  bus.answer(calls.findConverters, async (request) => ({ users: await findConverters(db, request) }))
  bus.answer(calls.listTags, openTags(reads))
  bus.answer(calls.listUsers, onReads(listUsers))
  bus.answer(calls.exportUsers, onReads(exportUsers, { withinMs: 6_000 }))

  // Imports write at most two lots at once, one of each app, so that connections stay free for devices and sends. A lot has at most 200 rows; one of
  // 500 kept a connection for 100 ms.
  const lotInTurn = openAtOnce({ atOnce: 2, share: 1, mostWaiting: 50, waitMs: 10_000, full: queueUnavailable })
  answerImports(bus, { db, reads, lotInTurn })

  // Apps and announcements.
  bus.answer(calls.eraseAudienceOfApp, (app) => eraseApp({ db }, app))
  bus.answer(calls.hearAudienceListeners, ({ listeners }) => rememberListeners(db, listeners))
  bus.answer(calls.confirmAudienceAnnouncements, async ({ announcementIds }) => {
    await deleteAnnouncements(db, announcementIds)
    return {}
  })
}

const keyOfUser = (appId: string, user: UserAddress): string =>
  'userId' in user ? `${appId} ${user.userId}` : userKeyOf({ appId, externalId: user.externalId })
