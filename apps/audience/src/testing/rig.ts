import { createECDH, randomBytes } from 'node:crypto'
import { defaultSettings, type AppSettings } from '@herald/contracts/app'
import type { BatchPointer, FanOutPointer, FrozenSend, TakeAnswer, TakenBatch } from '@herald/contracts/batch'
import type { CampaignFlow, FlowChange } from '@herald/contracts/campaign'
import { recipientsOf, type Recipient } from '@herald/contracts/recipient'
import { finishBatch, flowChanged, takeBatch } from '@herald/contracts/calls/audience'
import { failCampaign, fanOutStarted, noteFailedStart, readSend, type FrozenTarget } from '@herald/contracts/calls/campaigns'
import { readApp } from '@herald/contracts/calls/gateway'
import { eraseTrackerOfUser, findPushesWithOutcome, listReached, reportQueued, type QueuedReport } from '@herald/contracts/calls/tracker'
import { databaseUnavailable, queueUnavailable } from '@herald/contracts/fault'
import { unpackIds } from '@herald/contracts/compact-ids'
import { newId } from '@herald/contracts/ids'
import type { Lane, Platform } from '@herald/contracts/platform'
import { announcements, bulkFanOutWork, fanOutWork, pushWork } from '@herald/contracts/topology'
import { openBus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats, testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import type { z } from 'zod'
import { startAudience } from '../start.ts'
import type { Audience } from '../audience.ts'
import { commitTogether } from '../commit-together.ts'
import { openAppSettings } from '../app-settings.ts'
import { fanOut } from '../sends/fan-out.ts'
import { openToldNotes } from '../sends/note-told.ts'
import { openLastNotified } from '../last-notified.ts'
import { findFanOut, insertFanOut } from '../sends/store/fan-outs.ts'
import { fixBounds } from '../sends/store/pages.ts'
import type { Db, Tables } from '../store/tables.ts'
import { insertUser } from '../people/store/users.ts'
import { toDevice } from '../people/core/device.ts'
import { playLedger } from './play-ledger.ts'

type Report = QueuedReport

const sharing = { maxWaiting: 5_000, full: queueUnavailable }

/**
 * Opens a database and a bus for one test file, plays the other services (`peers`, `dispatcher`), and makes the arguments that audience's functions
 * need. It does not start audience (`startProcess` does).
 */
export async function openAudience() {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const config = {
    NATS_URL: natsUrl,
    NATS_PASSWORD: testNatsPassword,
    HOST: '127.0.0.1',
    OBSERVE_PORT: 0,
    LOG_LEVEL: 'silent' as const,
    DATABASE_URL_AUDIENCE: database.url('audience'),
    DATABASE_POOL_SIZE: 8,
    DATABASE_POOLER: 'none' as const,
    FAN_OUT_RETENTION_DAYS: 7,
    BREAKER_MAX_HOLD_SECONDS: 86_400,
    OUTAGE_PROBE_SECONDS: 5,
    LEDGER_RETENTION_DAYS: 90,
    BULK_WINDOW: 16,
  }
  const service = testService('audience', config)
  const { db } = await openDatabase<Tables>(service, { url: config.DATABASE_URL_AUDIENCE, poolSize: 12 })
  // Tests act as other services on this bus, so it has the rights of all services. The bus of `startProcess` has only the rights of audience.
  const bus = await openBus({ ...service, config: { NATS_URL: natsUrl } })
  const told = openToldNotes(db, service.log)
  const audience: Audience = {
    db,
    bus,
    log: service.log,
    settingsOf: openAppSettings(bus),
    commit: commitTogether(db, sharing),
    noteTold: (rows) => told.note(rows),
    haveWaiting: () => undefined,
    scan: (work) => work(),
    lastNotified: openLastNotified(service, { db, bus }),
    bulkWindow: 16,
  }

  return {
    ...audience,
    audience,
    told,
    config,
    ownerUrl: database.ownerUrl,
    /** Ends every connection to the database and refuses new ones. Gives a function that makes the database accept connections again. */
    cutOffDatabase: database.cutOff,
    /** Starts audience on the same database and NATS, as main.ts does, inside the process of the test. */
    startProcess: async () => {
      const process = testService('audience', config)
      await startAudience(process)
      return process
    },
    peers: await playPeers(natsUrl),
    dispatcher: await playDispatcher(natsUrl),
  }
}

/**
 * Plays campaigns, tracker, gateway and webhooks: answers audience's calls and reads the events that audience announces. Gives the answers, which
 * tests can set, and what audience has told these services.
 */
async function playPeers(natsUrl: string) {
  const sends = new Map<string, { send: FrozenSend; target: FrozenTarget }>()
  const started: string[] = []
  const settings = new Map<string, AppSettings>()
  const gone = new Set<string>()
  const flows = new Map<string, FlowChange>()
  const settled = new Map<string, string[]>()
  /** What the tracker that the test plays answers to `listReached`: the devices of each campaign, in the ledger's order. */
  const reached = new Map<string, { subscriptionId: string; userId: string }[]>()
  const failures: z.infer<typeof failCampaign.request>[] = []
  const failedStarts: string[] = []
  const unreadable = new Set<string>()
  const reports: Report[] = []
  /** The erased users of whom the tracker was told. */
  const erased: string[] = []
  const events: z.infer<typeof announcements.body>[] = []
  const state = {
    trackerIsAway: false,
    /** How many more reports the tracker answers with `database_unavailable`. */
    reportsWithoutDatabase: 0,
    gatewayIsAway: false,
    gatewayAnswersAfter: Promise.resolve(),
    askedGateway: 0,
    settledAnswersAfter: Promise.resolve(),
    askedSettled: 0,
    notifiedAnswersAfter: Promise.resolve(),
    askedNotified: 0,
  }

  const campaigns = await openBus(testService('campaigns', { NATS_URL: natsUrl }))
  campaigns.answer(readSend, async ({ campaignId }) => {
    if (unreadable.has(campaignId)) throw new Error('this send cannot be read')
    const found = sends.get(campaignId)
    return found ? { ...found, flowNo: flows.get(campaignId)?.no ?? 0 } : null
  })
  campaigns.answer(fanOutStarted, async ({ campaignIds }) => {
    started.push(...campaignIds)
    return { flows: campaignIds.map((campaignId) => flows.get(campaignId) ?? null) }
  })
  campaigns.answer(noteFailedStart, async ({ campaignId }) => {
    failedStarts.push(campaignId)
    return {}
  })
  campaigns.answer(failCampaign, async (failure) => {
    failures.push(failure)
    return {}
  })
  const tracker = await openBus(testService('tracker', { NATS_URL: natsUrl }))
  tracker.answer(reportQueued, async ({ reports: told }) => {
    if (state.trackerIsAway) throw queueUnavailable()
    if (state.reportsWithoutDatabase > 0) {
      state.reportsWithoutDatabase -= 1
      throw databaseUnavailable()
    }
    reports.push(...told)
    return {}
  })
  const notified = playLedger(tracker, state)
  tracker.answer(eraseTrackerOfUser, async ({ userId }) => {
    erased.push(userId)
    return {}
  })
  tracker.answer(findPushesWithOutcome, async ({ campaignId, subscriptionIds }) => {
    state.askedSettled += 1
    await state.settledAnswersAfter
    const wanted = new Set(subscriptionIds)
    return { subscriptionIds: settled.get(campaignId)?.filter((id) => wanted.has(id)) ?? [] }
  })
  tracker.answer(listReached, async ({ campaignId, after }) => {
    const devices = reached.get(campaignId)
    if (!devices) return null
    const from = Number(after ?? 0)
    const to = from + 2_000
    return { devices: devices.slice(from, to), next: to < devices.length ? String(to) : null }
  })
  const gateway = await openBus(testService('gateway', { NATS_URL: natsUrl }))
  gateway.answer(readApp, async ({ appId }) => {
    state.askedGateway += 1
    await state.gatewayAnswersAfter
    if (state.gatewayIsAway) throw queueUnavailable()
    if (gone.has(appId)) return { app: null }
    return { app: { id: appId, name: 'shop', settings: settings.get(appId) ?? defaultSettings, createdAt: '2026-01-01T00:00:00.000Z' } }
  })
  const webhooks = await openBus(testService('webhooks', { NATS_URL: natsUrl }))
  webhooks.consume(announcements, { atOnce: 10 }, async (announcement) => void events.push(announcement))

  return {
    state,
    started,
    failures,
    failedStarts,
    unreadable,
    erased,
    reports,
    events,
    /** The settings of apps, by app id. An app that is not in this map has the default settings. */
    settings,
    gone,
    /** By campaign: the pause, resume or cancel that campaigns answers when audience tells it that the send has started. */
    flows,
    /** By campaign: the ids of the devices whose pushes have an outcome. */
    settled,
    reached,
    notified,
    /** Makes campaigns know a send, so that audience can read it. Gives the campaign's id. */
    givenCampaign(send: FrozenSend, target: FrozenTarget) {
      sends.set(send.campaignId, { send, target })
      return send.campaignId
    },
    /** Publishes a pointer at a page of a campaign, as campaigns does. */
    point: (campaignId: string, page = 0) => campaigns.publish(fanOutWork.subject, { campaignId, page }, newId()),
    /** Reads the pointers at pages of large sends, in the place of a process of audience. */
    consumeBulkPages: (note: (pointer: FanOutPointer) => void) =>
      campaigns.consume(bulkFanOutWork, { atOnce: 1 }, async (pointer) => note(pointer)),
    /** Gives the batches of a campaign that were reported to the ledger: the ids of their devices, by batch number. */
    reported: (campaignId: string): Map<number, string[]> =>
      new Map(
        reports
          .filter((report) => report.campaignId === campaignId)
          .flatMap(({ batches }) => batches.map(({ no, subscriptionIds }) => [no, unpackIds(subscriptionIds)] as const)),
      ),
    lastReport: (campaignId: string) => reports.findLast((report) => report.campaignId === campaignId),
  }
}

/** Makes a dispatcher for tests, which records the pointers that it reads, and takes and finishes batches when the test asks for it. */
async function playDispatcher(natsUrl: string) {
  const bus = await openBus(testService('dispatcher', { NATS_URL: natsUrl }))
  const pointers: (BatchPointer & { platform: Platform; lane: Lane })[] = []
  const flows: { campaignId: string; flow: CampaignFlow }[] = []
  bus.listen(flowChanged, (change) => void flows.push(change))
  let onPointer: (pointer: BatchPointer) => Promise<void> = async () => undefined
  for (const { platform, lane, ...consumer } of pushWork) {
    bus.consume(consumer, { atOnce: 50 }, async ({ batches }) => {
      for (const pointer of batches) pointers.push({ ...pointer, platform, lane })
      for (const pointer of batches) await onPointer(pointer)
    })
  }
  const take = async (batchId: string, appId = anyApp) => opened(await bus.call(takeBatch, { ...asked, batchId, appId }))
  return {
    bus,
    pointers,
    /** The pauses, resumes and cancels of sends that audience broadcast. */
    flows,
    take,
    /** From now on takes and finishes every batch for which a pointer arrives, as if all its pushes were sent. */
    finishAll(note: (taken: Taken) => void) {
      onPointer = async ({ batchId, appId }) => {
        const taken = await take(batchId, appId)
        if (taken.answer !== 'taken') return
        note(taken)
        const unsent = taken.decided.map(({ subscriptionId }) => subscriptionId)
        await bus.call(finishBatch, { ...nothingHeard, batchId, appId, takes: taken.takes, unsent })
      }
    },
  }
}

const asked = { knowsSend: false, from: 0, takes: null, environment: '', credentialsVersion: null, rate: null } as const
/** For takes and finishes of tests in which no other app waits: audience needs a batch's app only to let apps take turns. */
export const anyApp = newId()

/** The lists of pushes in a finish, all empty. */
const noPushes = { environments: [], unsent: [], dead: [], guarded: [], refused: [], accepted: [], unavailable: [], retries: [] }
export const nothingHeard = { ...noPushes, answers: [], credentialsVersion: null }

export const givenSend = (appId: string, change: Partial<FrozenSend> = {}): FrozenSend => ({
  campaignId: newId(),
  appId,
  name: 'notification',
  transactional: true,
  content: { _default: 'en', en: { title: 'Hello', body: 'World' } },
  silent: false,
  data: {},
  ttl: 2_419_200,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
  ...change,
})

/** Makes a device. Without `userId` it also makes a new user as the owner. */
export async function givenDevice(
  db: Db,
  {
    appId,
    userId,
    externalId = null,
    platform = 'ios',
  }: { appId: string; userId?: string; externalId?: string | null; platform?: Platform },
): Promise<{ id: string; userId: string }> {
  const owner = userId ?? newId()
  if (userId === undefined) await insertUser(db, { id: owner, appId, externalId })
  const id = newId()
  const address = `address-of-${id}`
  const device = toDevice(
    appId,
    platform === 'web'
      ? { platform, endpoint: `https://push.example/${address}`, keys: { p256dh: 'p256dh', auth: 'auth' } }
      : { platform, token: address },
  )
  const { addressHash, keys } = device
  await db
    .insertInto('subscriptions')
    .values({
      id,
      app_id: appId,
      user_id: owner,
      platform,
      address: device.address,
      address_hash: addressHash,
      p256dh: null,
      auth: null,
      ...keys,
    })
    .execute()
  return { id, userId: owner }
}

/** Makes the fan-out of a send to all devices of an app. The fan-out has started, and no push of it is queued yet. */
export async function givenFanOut(
  db: Db,
  send: FrozenSend,
  { boundId = 'f'.repeat(24), settings = defaultSettings }: { boundId?: string; settings?: AppSettings } = {},
): Promise<string> {
  const bounds = await fixBounds(db, send.appId)
  const frozen = { campaignId: send.campaignId, appId: send.appId, send, target: { kind: 'all' as const }, settings, waves: null }
  await insertFanOut(db, { ...frozen, ...bounds }, { lane: null })
  await db.updateTable('fan_outs').set({ bound_id: boundId }).where('campaign_id', '=', send.campaignId).execute()
  return send.campaignId
}

/** Makes all pages of a campaign one after another, as if the pointers at them had arrived. */
export async function fanOutAll(audience: Audience, campaignId: string): Promise<void> {
  await fanOut(audience, { campaignId, page: 0 })
  for (let cut = 1; cut > 0;) {
    const page = (await findFanOut(audience.db, campaignId))?.page ?? 0
    cut = page > 0 ? await fanOut(audience, { campaignId, page }) : 0
  }
}

/** Makes many devices at once, each with a user of its own and a `created_at` one minute ago. Gives the devices' ids in order. */
export async function givenCrowd(
  db: Db,
  { appId, count, platform = 'ios' }: { appId: string; count: number; platform?: Platform },
): Promise<string[]> {
  const { rows } = await db.transaction().execute(async (trx) => {
    // On a busy machine making a large crowd may take longer than the usual limit of a statement, so this statement has no limit.
    await sql`set local statement_timeout = 0`.execute(trx)
    return sql<{ id: string }>`
      with numbered as (
        select encode(sha256(convert_to(${appId} || ${platform} || n, 'UTF8')), 'hex') as hash from generate_series(1, ${count}::int) as n
      ), owners as (
        insert into users (id, app_id) select substr(hash, 1, 24), ${appId} from numbered returning id
      )
      insert into subscriptions (id, app_id, user_id, platform, address, address_hash, created_at)
      select substr(hash, 25, 24), ${appId}, substr(hash, 1, 24), ${platform}, hash, decode(hash, 'hex'), now() - interval '1 minute' from numbered
      returning id`.execute(trx)
  })
  return rows.map(({ id }) => id).toSorted()
}

/** Makes the keys of a browser's device, as a browser does. The contract of the call refuses other bytes before they reach audience. */
export const givenWebKeys = () => ({
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
})

/** A taken batch, with its recipients as a list of objects. */
export type Taken = Omit<TakenBatch, 'recipients'> & { recipients: Recipient[] }
type NotTaken = Exclude<TakeAnswer, { answer: 'taken' }>

export const opened = (answer: TakeAnswer): Taken | NotTaken =>
  answer.answer === 'taken' ? { ...answer, recipients: recipientsOf(answer.recipients) } : answer
