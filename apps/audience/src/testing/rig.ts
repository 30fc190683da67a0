import { defaultSettings } from '@herald/contracts/app'
import type { BatchPointer, FrozenSend, TakenBatch } from '@herald/contracts/batch'
import { finishBatch, takeBatch } from '@herald/contracts/calls/audience'
import { failCampaign, fanOutStarted, readSend, type FrozenTarget } from '@herald/contracts/calls/campaigns'
import { readApp } from '@herald/contracts/calls/gateway'
import { reportQueued } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Lane, Platform } from '@herald/contracts/platform'
import { announcements, fanOutWork, pushWork } from '@herald/contracts/topology'
import { openBus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Audience } from '../audience.ts'
import { insertFanOut } from '../store/fan-outs.ts'
import { insertSubscription } from '../store/subscriptions.ts'
import type { Db, Tables } from '../store/tables.ts'
import { insertUser } from '../store/users.ts'
import { toDevice } from '../core/device.ts'
import { wireAudience } from '../wire.ts'

type Report = z.infer<typeof reportQueued.request>

/** A database and a bus of this file's own, and the flows' arguments on them, without a running audience. */
export async function openAudience() {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const config = {
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent' as const,
    DATABASE_URL_AUDIENCE: database.url('audience'),
    DATABASE_POOL_SIZE: 8,
    FAN_OUT_RETENTION_DAYS: 7,
  }
  const service = testService('audience', config)
  const { db } = await openDatabase<Tables>(service, { url: config.DATABASE_URL_AUDIENCE, poolSize: 12 })
  const audience: Audience = { db, bus: await openBus(service), log: service.log }

  return {
    ...audience,
    audience,
    /** The environment of a process of this app. */
    config,
    /** Another process of audience on the same database and bus, as main.ts starts it. */
    startProcess: async () => {
      const process = testService('audience', config)
      await wireAudience(process)
      return process
    },
    peers: await playPeers(natsUrl),
    dispatcher: await playDispatcher(natsUrl),
  }
}

/** Campaigns, tracker, gateway and webhooks, as far as audience meets them: what they hold, and what they were told. */
async function playPeers(natsUrl: string) {
  const sends = new Map<string, { send: FrozenSend; target: FrozenTarget }>()
  const started: string[] = []
  const failures: z.infer<typeof failCampaign.request>[] = []
  const reports: Report[] = []
  const events: z.infer<typeof announcements.body>[] = []
  const state = { trackerIsAway: false, gatewayIsAway: false, gatewayAnswersAfter: Promise.resolve(), askedGateway: 0 }

  const campaigns = await openBus(testService('campaigns', { NATS_URL: natsUrl }))
  campaigns.answer(readSend, async ({ campaignId }) => sends.get(campaignId) ?? null)
  campaigns.answer(fanOutStarted, async ({ campaignId }) => {
    started.push(campaignId)
    return {}
  })
  campaigns.answer(failCampaign, async (failure) => {
    failures.push(failure)
    return {}
  })
  const tracker = await openBus(testService('tracker', { NATS_URL: natsUrl }))
  tracker.answer(reportQueued, async (report) => {
    if (state.trackerIsAway) throw queueUnavailable()
    reports.push(report)
    return {}
  })
  const gateway = await openBus(testService('gateway', { NATS_URL: natsUrl }))
  gateway.answer(readApp, async ({ appId }) => {
    state.askedGateway += 1
    await state.gatewayAnswersAfter
    if (state.gatewayIsAway) throw queueUnavailable()
    return { app: { id: appId, name: 'shop', settings: defaultSettings, createdAt: '2026-01-01T00:00:00.000Z' } }
  })
  const webhooks = await openBus(testService('webhooks', { NATS_URL: natsUrl }))
  await webhooks.consume(announcements, { slots: 10 }, async (announcement) => void events.push(announcement))

  return {
    state,
    started,
    failures,
    reports,
    events,
    /** A campaign that was accepted; `point` publishes a pointer at it, as campaigns does. */
    givenCampaign(send: FrozenSend, target: FrozenTarget) {
      sends.set(send.campaignId, { send, target })
      return send.campaignId
    },
    point: (campaignId: string, page = 0) => campaigns.publish(fanOutWork.subject, { campaignId, page }, newId()),
    lastReport: (campaignId: string) => reports.findLast((report) => report.campaignId === campaignId),
  }
}

/** A dispatcher that notes the pointers it reads, and takes and finishes batches when told to. */
async function playDispatcher(natsUrl: string) {
  const bus = await openBus(testService('dispatcher', { NATS_URL: natsUrl }))
  const pointers: (BatchPointer & { platform: Platform; lane: Lane })[] = []
  let onPointer: (pointer: BatchPointer) => Promise<void> = async () => undefined
  for (const { platform, lane, ...consumer } of pushWork) {
    await bus.consume(consumer, { slots: 50 }, async (pointer) => {
      pointers.push({ ...pointer, platform, lane })
      await onPointer(pointer)
    })
  }
  const take = (batchId: string) => bus.call(takeBatch, { batchId, knowsSend: false, from: 0, takes: null })
  return {
    bus,
    pointers,
    take,
    /** From now on every batch that is pointed at is taken, handed over and finished. */
    finishAll(note: (taken: TakenBatch & { answer: 'taken' }) => void) {
      onPointer = async ({ batchId }) => {
        const taken = await take(batchId)
        if (taken.answer !== 'taken') return
        note(taken)
        const sent = taken.recipients.map(({ subscriptionId }) => ({ subscriptionId, environment: null }))
        await bus.call(finishBatch, { batchId, takes: taken.takes, sent, dead: [], retries: [] })
      }
    },
  }
}

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

/** One device of a user, each new unless given. */
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
    platform === 'web'
      ? { platform, endpoint: `https://push.example/${address}`, keys: { p256dh: 'p256dh', auth: 'auth' } }
      : { platform, token: address },
  )
  await insertSubscription(db, { id, appId, userId: owner, device })
  return { id, userId: owner }
}

/** A fan-out that has started and of which no page is cut: everybody, unless told otherwise. */
export async function givenFanOut(db: Db, send: FrozenSend, { boundId = 'f'.repeat(24) }: { boundId?: string } = {}): Promise<string> {
  await insertFanOut(db, { send, target: { kind: 'all' } })
  await db.updateTable('fan_outs').set({ bound_id: boundId }).where('campaign_id', '=', send.campaignId).execute()
  return send.campaignId
}

/** Many devices at once, one user each, all registered a minute ago. Answers their ids in order. */
export async function givenCrowd(
  db: Db,
  { appId, count, platform = 'ios' }: { appId: string; count: number; platform?: Platform },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with numbered as (
      select encode(sha256(convert_to(${appId} || ${platform} || n, 'UTF8')), 'hex') as hash from generate_series(1, ${count}::int) as n
    ), people as (
      insert into users (id, app_id) select substr(hash, 1, 24), ${appId} from numbered returning id
    )
    insert into subscriptions (id, app_id, user_id, platform, address, address_hash, created_at)
    select substr(hash, 25, 24), ${appId}, substr(hash, 1, 24), ${platform}, hash, decode(hash, 'hex'), now() - interval '1 minute' from numbered
    returning id`.execute(db)
  return rows.map(({ id }) => id).toSorted()
}
