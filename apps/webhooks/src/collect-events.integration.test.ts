import { newId } from '@herald/contracts/ids'
import { verifyWebhook } from '@herald/auth/webhook-signature'
import { changeWebhook } from '@herald/contracts/calls/webhooks'
import type { EventType } from '@herald/contracts/event'
import type { PatchWebhook } from '@herald/contracts/webhook'
import { eventSubjects } from '@herald/contracts/topology'
import { queueUnavailable } from '@herald/contracts/fault'
import { sql } from 'kysely'
import { until } from '@herald/testing/until'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { collectEvents } from './collect-events.ts'
import { eventIdOf } from './core/public-event.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { givenEvent, givenEvents, givenFailing, givenWaiting, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
let receiver: Receiver
beforeAll(async () => {
  rig = await openRig()
  receiver = await startReceiver()
  await rig.start()
})
afterEach(() => void (rig.onConfirmed.tracker = () => Promise.resolve()))
const eventsAt = (path: string) => receiver.at(path).flatMap(({ events }) => events)

// spec: webhooks/event-fields, webhooks/event-data, webhooks/event-completed, webhooks/event-invalidated, webhooks/event-secrets
test('an event arrives signed and with exactly the fields of its type', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/fields`)
  const { appId } = webhook
  const known = givenEvent(appId, { type: 'notification.failed', data: { code: 'token_dead', providerCode: '410', attempts: 1 } })
  rig.externalIds.set(known.userId ?? '', 'ada "lovelace"')
  const unknown = givenEvent(appId, { type: 'notification.opened', platform: 'web' })
  const completed = givenEvent(appId, {
    type: 'campaign.completed',
    data: { queued: 1, byPlatform: { ios: 1, android: 0, web: 0 }, name: 'n', transactional: true },
  })
  await rig.announce([known, unknown, completed])

  const { body, headers, id } = await until(() => receiver.at('/fields')[0])
  expect(id).toMatch(/^dlv_[0-9a-f]{24}$/)
  expect(headers['content-type']).toBe('application/json')
  expect(verifyWebhook(webhook.secret, String(headers['x-service-signature']), body, new Date())).toEqual({ ok: true })
  const { campaignId, userId, subscriptionId } = known
  expect(JSON.parse(body)).toEqual({
    id,
    events: [
      {
        id: eventIdOf(known),
        type: 'notification.failed',
        ts: known.at,
        appId,
        campaignId,
        userId,
        subscriptionId,
        platform: 'ios',
        externalId: 'ada "lovelace"',
        data: known.data,
      },
      {
        id: eventIdOf(unknown),
        type: 'notification.opened',
        ts: unknown.at,
        appId,
        campaignId: unknown.campaignId,
        userId: unknown.userId,
        subscriptionId: unknown.subscriptionId,
        platform: 'web',
      },
      {
        id: eventIdOf(completed),
        type: 'campaign.completed',
        ts: completed.at,
        appId,
        campaignId: completed.campaignId,
        data: completed.data,
      },
    ],
  })
})

// spec: webhooks/event-filter
test('an endpoint gets only the types of events that it asks for, and only of its app', async () => {
  const { appId } = await rig.givenWebhook(`${receiver.url}/some`, { eventTypes: ['notification.opened', 'campaign.completed'] })
  await rig.givenWebhook(`${receiver.url}/all`, { appId })
  await rig.announce([givenEvent(appId), givenEvent(appId, { type: 'notification.opened' }), givenEvent(newId())])

  await until(() => eventsAt('/all').length === 2 && eventsAt('/some').length > 0)
  expect(eventsAt('/some').map(({ type }) => type)).toEqual(['notification.opened'])
})

// spec: webhooks/batches
test('a delivery has at most 100 events, and fewer than 100 go out after a second', async () => {
  const { appId } = await rig.givenWebhook(`${receiver.url}/batches`)
  const events = givenEvents(appId, 250)
  const announcedAt = Date.now()
  await rig.announce(events)

  await until(() => eventsAt('/batches').length === 250)
  const deliveries = receiver.at('/batches')
  expect(deliveries.map((one) => one.events.length)).toEqual([100, 100, 50])
  expect(
    eventsAt('/batches')
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(events.map(eventIdOf).toSorted())
  const lastWaitedMs = (deliveries[2]?.at ?? 0) - announcedAt
  expect(lastWaitedMs).toBeGreaterThan(900)
})

// spec: webhooks/announced-until-confirmed
test('an announcement that comes twice makes no second copy of its events', async () => {
  const { appId } = await rig.givenWebhook(`${receiver.url}/again`)
  const announcementId = await rig.announce([givenEvent(appId)])
  await until(() => rig.confirmed.tracker.includes(announcementId) && eventsAt('/again').length === 1)
  const before = rig.confirmed.tracker.length
  await rig.tracker.publish(
    eventSubjects.pushSettled,
    { announcementId, owner: 'tracker', events: [givenEvent(appId)] },
    `${announcementId}.again`,
  )
  await until(() => rig.confirmed.tracker.length > before)
  await rig.announce([givenEvent(appId, { type: 'notification.opened' })])

  await until(() => eventsAt('/again').some(({ type }) => type === 'notification.opened'))
  expect(eventsAt('/again')).toHaveLength(2)
})

// spec: webhooks/announced-until-confirmed
test('an announcement that waits together with its repeat makes no second copy of its events', async () => {
  const { appId } = await rig.givenWebhook(`${receiver.url}/together`)
  const announcement = { announcementId: newId(), owner: 'tracker' as const, events: givenEvents(appId, 3) }
  expect(await collectEvents({ db: rig.db }, [announcement, announcement])).toEqual({ put: 3 })
  await until(() => eventsAt('/together').length > 0)
  expect(eventsAt('/together').map(({ id }) => id)).toEqual(announcement.events.map(eventIdOf))
})

// spec: webhooks/one-failing-app
test('an announcement whose events cannot be stored holds up no other, and is stored when repeated', async () => {
  const [bad, good] = [await rig.givenWebhook(`${receiver.url}/bad`), await rig.givenWebhook(`${receiver.url}/good`)]
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`.execute(
    rig.db,
  )
  await sql`
    create trigger refuse before insert on events for each row when (new.app_id = ${sql.lit(bad.appId)}) execute function refuse()`.execute(
    rig.db,
  )
  const announcement = { announcementId: newId(), owner: 'tracker' as const, events: givenEvents(bad.appId, 2) }
  const publish = (no: number) => rig.tracker.publish(eventSubjects.pushSettled, announcement, `${announcement.announcementId}.${no}`)
  const before = await rig.acknowledged()
  try {
    await publish(0)
    await rig.announce(givenEvents(good.appId, 1))
    await until(async () => eventsAt('/good').length === 1 && (await rig.acknowledged()) === before + 2, { withinMs: 10_000 })
    expect(rig.confirmed.tracker).not.toContain(announcement.announcementId)
  } finally {
    await sql`drop trigger refuse on events`.execute(rig.db)
  }
  await publish(1)
  await until(() => rig.confirmed.tracker.includes(announcement.announcementId) && eventsAt('/bad').length === 2)
})

// spec: webhooks/announced-until-confirmed
test('an announcement is acknowledged once stored, even if the tracker cannot be told, and a repeat is confirmed', async () => {
  const { appId } = await rig.givenWebhook(`${receiver.url}/untold`)
  rig.onConfirmed.tracker = () => Promise.reject(queueUnavailable())
  const announcement = { announcementId: newId(), owner: 'tracker' as const, events: givenEvents(appId, 1) }
  const publish = (no: number) => rig.tracker.publish(eventSubjects.pushSettled, announcement, `${announcement.announcementId}.${no}`)
  const before = await rig.acknowledged()
  await publish(0)
  await until(async () => eventsAt('/untold').length === 1 && (await rig.acknowledged()) === before + 1, { withinMs: 10_000 })
  rig.onConfirmed.tracker = () => Promise.resolve()
  await publish(1)
  await until(() => rig.confirmed.tracker.includes(announcement.announcementId))
  expect(eventsAt('/untold')).toHaveLength(1)
})

// spec: webhooks/enable
test('events announced while an endpoint is switched off do not wait, and their announcements are confirmed', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/off`)
  const { appId } = webhook
  const changed = await rig.gateway.call(changeWebhook, { appId, webhookId: webhook.id, changes: { enabled: false } })
  expect(changed).toMatchObject({ enabled: false, disabledReason: 'manual' })
  const ofTracker = await rig.announce(givenEvents(appId, 120))
  const ofAudience = await rig.announce([givenEvent(appId, { type: 'subscription.invalidated' })], 'audience')

  await until(() => rig.confirmed.tracker.includes(ofTracker) && rig.confirmed.audience.includes(ofAudience))
  expect(await rig.read(webhook)).toMatchObject({ waitingEvents: 0, droppedEvents: 0 })
})

// spec: webhooks/most-waiting
test('when more than 100,000 events wait for an endpoint the oldest are dropped, and the endpoint shows how many', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/full`)
  await givenFailing(rig.db, webhook.id)
  await givenWaiting(rig.db, webhook, 99_950)
  await rig.announce(givenEvents(webhook.appId, 60))

  expect(await until(async () => (await rig.read(webhook)).droppedEvents)).toBe(10)
  expect(await rig.read(webhook)).toMatchObject({ waitingEvents: 100_000 })
  const kept = await rig.db.selectFrom('events').select('place').where('app_id', '=', webhook.appId).orderBy('place').execute()
  expect([kept.length, kept[0]?.place]).toEqual([100_000, 11])
})

test('an event is stored once for any number of endpoints, and those with the same types share bodies', async () => {
  const appId = newId()
  const endpoints = await Promise.all(Array.from({ length: 10 }, (_, n) => rig.givenWebhook(`${receiver.url}/shared-${n}`, { appId })))
  const rare = await rig.givenWebhook(`${receiver.url}/rare`, { appId, eventTypes: ['notification.opened'] })
  for (const { id } of endpoints.slice(5)) await givenFailing(rig.db, id)
  await rig.announce([...givenEvents(appId, 250), givenEvent(appId, { type: 'notification.opened' })])
  await until(() => endpoints.slice(0, 5).every((_one, n) => eventsAt(`/shared-${n}`).length === 251) && eventsAt('/rare').length === 1)

  expect(eventsAt('/rare').map(({ type }) => type)).toEqual(['notification.opened'])
  const stored = () => rig.db.selectFrom('bodies').select(['types', 'event_count']).where('app_id', '=', appId).orderBy('id').execute()
  const bodies = await stored()
  expect(bodies.map(({ event_count }) => event_count).toSorted((one, other) => one - other)).toEqual([1, 51, 100, 100])
  const waiting = await rig.db.selectFrom('events').select('place').where('app_id', '=', appId).execute()
  expect(waiting).toHaveLength(251)
  expect((await rig.read(endpoints[9] ?? rare)).waitingEvents).toBe(251)

  // Endpoints whose last attempt failed get their deliveries later. The bodies of their full batches exist by then.
  await rig.db.updateTable('endpoints').set({ last_error: null }).where('app_id', '=', appId).execute()
  await until(() => endpoints.every((_one, n) => eventsAt(`/shared-${n}`).length === 251), { withinMs: 20_000 })
  expect(await stored()).toHaveLength(4)
  const left = async () => (await rig.db.selectFrom('events').select('place').where('app_id', '=', appId).execute()).length
  await until(async () => (await left()) === 0, { what: 'what all have read is deleted' })
})

test('an endpoint gets no event from when it was off or did not ask, and every earlier one', async () => {
  const appId = newId()
  await rig.givenWebhook(`${receiver.url}/beside`, { appId })
  const webhook = await rig.givenWebhook(`${receiver.url}/changing`, { appId, eventTypes: ['notification.sent'] })
  const { id: webhookId } = webhook
  await givenFailing(rig.db, webhookId)
  const change = (changes: PatchWebhook) => rig.gateway.call(changeWebhook, { appId, webhookId, changes })
  const announce = async (...types: EventType[]) => {
    const id = await rig.announce(types.map((type) => givenEvent(appId, { type })))
    await until(() => rig.confirmed.tracker.includes(id))
  }
  await announce('notification.sent', 'notification.opened')
  await change({ eventTypes: ['notification.opened'] })
  await announce('notification.sent', 'notification.opened', 'notification.opened')
  await change({ enabled: false })
  await announce('notification.sent', 'notification.opened')
  expect(await rig.read(webhook)).toMatchObject({ waitingEvents: 3 })
  await change({ enabled: true, eventTypes: ['*'] })
  await announce('notification.clicked')
  expect(await rig.read(webhook)).toMatchObject({ waitingEvents: 4 })

  await rig.db.updateTable('endpoints').set({ last_error: null }).where('id', '=', webhookId).execute()
  await until(() => eventsAt('/changing').length === 4)
  expect(eventsAt('/changing').map(({ type }) => type)).toEqual([
    'notification.sent',
    'notification.opened',
    'notification.opened',
    'notification.clicked',
  ])
})
