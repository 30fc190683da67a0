import { newId } from '@herald/contracts/ids'
import { verifyWebhook } from '@herald/auth/webhook-signature'
import { changeWebhook } from '@herald/contracts/calls/webhooks'
import { eventSubjects } from '@herald/contracts/topology'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { eventIdOf } from './core/public-event.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { givenEvent, givenEvents, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
let receiver: Receiver
beforeAll(async () => {
  rig = await openRig()
  receiver = await startReceiver()
  await rig.start()
})
const eventsAt = (path: string) => receiver.at(path).flatMap(({ events }) => events)

// spec: webhooks/event-fields, webhooks/event-data, webhooks/event-completed, webhooks/event-invalidated, webhooks/event-secrets
test('an event arrives signed, with exactly the fields of its type', async () => {
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
test('an endpoint gets the types it asked for, of its own app only', async () => {
  const { appId } = await rig.givenWebhook(`${receiver.url}/some`, { eventTypes: ['notification.opened', 'campaign.completed'] })
  await rig.givenWebhook(`${receiver.url}/all`, { appId })
  await rig.announce([givenEvent(appId), givenEvent(appId, { type: 'notification.opened' }), givenEvent(newId())])

  await until(() => eventsAt('/all').length === 2 && eventsAt('/some').length > 0)
  expect(eventsAt('/some').map(({ type }) => type)).toEqual(['notification.opened'])
})

// spec: webhooks/batches
test('batches hold at most 100 events, and a small one goes after a second', async () => {
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
test('an announcement that comes again makes no second copy of its events', async () => {
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

// spec: webhooks/enable
test('a disabled endpoint buffers nothing; every announcement is confirmed all the same, to its owner', async () => {
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
test('more than 100,000 waiting events drop the oldest, which is counted and shown', async () => {
  const blocked = await startReceiver(() => undefined)
  const webhook = await rig.givenWebhook(`${blocked.url}/full`)
  await rig.db.updateTable('queues').set({ waiting: 99_950 }).where('endpoint_id', '=', webhook.id).execute()
  await rig.announce(givenEvents(webhook.appId, 60))

  expect(await until(async () => (await rig.read(webhook)).droppedEvents)).toBe(10)
})
