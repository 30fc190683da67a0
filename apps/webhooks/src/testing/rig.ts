import { confirmAudienceAnnouncements, findExternalIds, hearAudienceListeners } from '@herald/contracts/calls/audience'
import { confirmTrackerAnnouncements, hearTrackerListeners } from '@herald/contracts/calls/tracker'
import { createWebhook, readWebhook } from '@herald/contracts/calls/webhooks'
import type { Announcement, Event, Listener } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import type { CreateWebhook, Webhook } from '@herald/contracts/webhook'
import type { Bus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import type { Resolve } from '@herald/service/guarded-connect'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats, testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql, type Kysely, type UpdateObject } from 'kysely'
import { Config } from '../config.ts'
import { mostPendingWhileFailing, newDeliveryId } from '../core/batch.ts'
import { insertBodies } from '../store/bodies.ts'
import { insertDeliveries } from '../store/deliveries.ts'
import type { Tables } from '../store/tables.ts'
import { startWebhooks } from '../start.ts'

export const sealKeys = `test:${Buffer.alloc(32, 3).toString('base64')}`

/** Webhooks on a real bus. The test plays the services around it: tracker, audience and gateway. */
export type Rig = {
  environment: Record<string, string>
  natsUrl: string
  db: Kysely<Tables>
  gateway: Bus
  tracker: Bus
  /** The announcements that webhooks has confirmed, by the service that announced them. */
  confirmed: { tracker: string[]; audience: string[] }
  /** Which event types tracker and audience were told of, in order. */
  told: { tracker: Listener[]; audience: Listener[] }
  /** What the tracker does before it answers that it was told. A test may change it. */
  onTold: { tracker: (listeners: Listener[]) => Promise<void> }
  /** What the tracker does before it answers that its announcements were confirmed. A test may change it. */
  onConfirmed: { tracker: () => Promise<void> }
  /** The external ids that audience knows, by user id. */
  externalIds: Map<string, string>
  /** Starts webhooks in the process of the test, and gives the function that stops it. */
  start: (settings?: Record<string, string>, given?: { resolve?: Resolve }) => Promise<() => Promise<void>>
  /** How many announcements the started processes have acknowledged. */
  acknowledged: () => Promise<number>
  givenWebhook: (url: string, more?: Partial<CreateWebhook> & { appId?: string }) => Promise<Webhook & { secret: string }>
  read: (webhook: Pick<Webhook, 'appId' | 'id'>) => Promise<Webhook>
  announce: (events: Event[], owner?: Announcement['owner']) => Promise<string>
}

export async function openRig(): Promise<Rig> {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const [gateway, tracker, audience] = await Promise.all([
    givenPeer('gateway', natsUrl),
    givenPeer('tracker', natsUrl),
    givenPeer('audience', natsUrl),
  ])
  const confirmed: Rig['confirmed'] = { tracker: [], audience: [] }
  const externalIds = new Map<string, string>()
  const onConfirmed: Rig['onConfirmed'] = { tracker: () => Promise.resolve() }
  tracker.answer(confirmTrackerAnnouncements, async ({ announcementIds }) => {
    await onConfirmed.tracker()
    confirmed.tracker.push(...announcementIds)
    return {}
  })
  audience.answer(confirmAudienceAnnouncements, async ({ announcementIds }) => {
    confirmed.audience.push(...announcementIds)
    return {}
  })
  const told: Rig['told'] = { tracker: [], audience: [] }
  const onTold: Rig['onTold'] = { tracker: () => Promise.resolve() }
  tracker.answer(hearTrackerListeners, async ({ listeners }) => {
    await onTold.tracker(listeners)
    told.tracker.push(...listeners)
    return {}
  })
  audience.answer(hearAudienceListeners, async ({ listeners }) => {
    told.audience.push(...listeners)
    return {}
  })
  audience.answer(findExternalIds, async ({ userIds }) => ({
    externalIds: Object.fromEntries(userIds.flatMap((id) => (externalIds.has(id) ? [[id, externalIds.get(id) ?? '']] : []))),
  }))

  const url = database.url('webhooks')
  const { db } = await openDatabase<Tables>(testService('webhooks', {}), { url, poolSize: 2 })
  const started: ReturnType<typeof testService>[] = []
  const environment = {
    NATS_URL: natsUrl,
    NATS_PASSWORD: testNatsPassword,
    DATABASE_URL_WEBHOOKS: url,
    LOG_LEVEL: 'silent',
    SEAL_KEYS: sealKeys,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_BASE_SECONDS: '0.05',
  }
  return {
    environment,
    natsUrl,
    db,
    gateway,
    tracker,
    confirmed,
    told,
    onTold,
    onConfirmed,
    externalIds,
    async start(settings = {}, given = {}) {
      const service = testService('webhooks', Config.parse({ ...environment, ...settings }))
      await startWebhooks(service, given)
      started.push(service)
      return service.stop
    },
    async acknowledged() {
      const scrapes = await Promise.all(started.map(({ metrics }) => metrics.text()))
      const counts = scrapes.map((scrape) => /^herald_messages_total\{durable="webhooks-collect",result="acked"\} (\d+)/m.exec(scrape)?.[1])
      return counts.reduce((sum, count) => sum + Number(count ?? 0), 0)
    },
    async givenWebhook(to, { appId = newId(), eventTypes = ['*'], description = null } = {}) {
      return gateway.call(createWebhook, { appId, webhook: { url: to, eventTypes, description } })
    },
    read: ({ appId, id }) => gateway.call(readWebhook, { appId, webhookId: id }),
    async announce(events, owner = 'tracker') {
      const announcement: Announcement = { announcementId: newId(), owner, events }
      // While the server has no streams it refuses the message. The message is published again, as the tracker's sweep would do it.
      let no = 0
      await until(
        () =>
          tracker.publish(eventSubjects.pushSettled, announcement, `${announcement.announcementId}.${no++}`).then(
            () => true,
            () => false,
          ),
        { what: 'the announcement is published' },
      )
      return announcement.announcementId
    },
  }
}

/** Makes an event about a device, like the tracker's. */
export const givenEvent = (appId: string, more: Partial<Event> = {}): Event => ({
  type: 'notification.sent',
  at: new Date().toISOString(),
  appId,
  campaignId: newId(),
  userId: newId(),
  subscriptionId: newId(),
  platform: 'ios',
  ...more,
})

export const givenEvents = (appId: string, count: number, more: Partial<Event> = {}): Event[] =>
  Array.from({ length: count }, () => givenEvent(appId, more))

/** Inserts `count` events into the event log of an app. Its only endpoint, `id`, has read none of them. */
export async function givenWaiting(db: Kysely<Tables>, { appId, id }: { appId: string; id: string }, count: number): Promise<void> {
  await sql`
    insert into events (app_id, type, place, event)
    select ${appId}, 'notification.sent', n, '{"id":"evt"}' from generate_series(1, ${count}::int) n`.execute(db)
  const totals = JSON.stringify({ 'notification.sent': [count, 12 * count, 0] })
  await db.updateTable('logs').set({ head: count, totals }).where('app_id', '=', appId).execute()
  const readings = JSON.stringify([{ types: ['*'], from: { place: 0, count: 0, bytes: 0 }, until: null }])
  await db.updateTable('queues').set({ readings }).where('endpoint_id', '=', id).execute()
}

/** Marks an endpoint as failing and gives it as many pending deliveries as such an endpoint may have, so that further events wait for it. */
export async function givenFailing(db: Kysely<Tables>, endpointId: string): Promise<void> {
  await db.updateTable('endpoints').set({ last_error: 'timeout' }).where('id', '=', endpointId).execute()
  const values = Array.from({ length: mostPendingWhileFailing }, () => ({
    id: newDeliveryId(),
    endpoint_id: endpointId,
    event_count: 1,
    due_at: sql<Date>`now() + interval '1 hour'`,
    lease_until: null,
    body_id: null,
    ended_at: null,
  }))
  await db.insertInto('deliveries').values(values).execute()
}

/** Makes deliveries that are due, each with a body of its own, and gives their ids. `left`: as an earlier process left them. */
export async function givenDeliveries(
  db: Kysely<Tables>,
  { appId, id: endpointId }: { appId: string; id: string },
  count: number,
  {
    events = Buffer.from('[]'),
    userIds = [],
    left,
  }: { events?: Buffer; userIds?: string[]; left?: UpdateObject<Tables, 'deliveries'> } = {},
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    const bodyIds = await insertBodies(
      trx,
      Array.from({ length: count }, () => ({ key: { appId, types: '*' }, userIds, eventCount: 1, events })),
    )
    const deliveries = bodyIds.map((bodyId) => ({ id: newDeliveryId(), endpointId, eventCount: 1, bodyId }))
    await insertDeliveries(trx, deliveries)
    const ids = deliveries.map(({ id }) => id)
    if (left) await trx.updateTable('deliveries').set(left).where('id', 'in', ids).execute()
    await sql`update queues set body_bytes = body_bytes + ${count * events.length}::bigint where endpoint_id = ${endpointId}`.execute(trx)
    return ids
  })
}
