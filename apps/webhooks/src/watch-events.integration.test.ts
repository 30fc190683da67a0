import { listWebhooks, eraseWebhooksOfApp, eventsSeen, watchEvents } from '@herald/contracts/calls/webhooks'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { eventIdOf } from './core/public-event.ts'
import { startReceiver } from './testing/receiver.ts'
import { givenEvent, givenEvents, openRig, type Rig } from './testing/rig.ts'

/** While a gateway watches an app, the app's events are shown as they happen, whether an endpoint asks for them or not. */

let rig: Rig
const seen: { appId: string; events: WebhookEvent[]; dropped: number }[] = []
beforeAll(async () => {
  rig = await openRig()
  // Two instances run, since the one that gets an announcement may not be the one that was asked for the watch.
  await rig.start()
  await rig.start()
  rig.gateway.listen(eventsSeen, (told) => void seen.push(told))
})
afterEach(() => void (rig.onTold.tracker = () => Promise.resolve()))

const url = 'https://127.0.0.1:1/'
const watch = (appId: string) => rig.gateway.call(watchEvents, { appId })
const seenOf = (appId: string) => seen.filter((one) => one.appId === appId).flatMap(({ events }) => events)
const droppedOf = (appId: string) => seen.filter((one) => one.appId === appId).reduce((sum, { dropped }) => sum + dropped, 0)
const heardBy = (who: 'tracker' | 'audience', appId: string) =>
  rig.told[who]
    .filter((one) => one.appId === appId)
    .toSorted((one, other) => one.version - other.version)
    .at(-1)?.eventTypes
const endWatch = (appId: string) =>
  rig.db
    .updateTable('watched_apps')
    .set({ until: new Date(0) })
    .where('app_id', '=', appId)
    .execute()

// spec: webhooks/watched
test('once a watch is answered, tracker and audience announce all events, shown as receivers get them and not stored', async () => {
  const appId = newId()
  await watch(appId)
  expect([heardBy('tracker', appId), heardBy('audience', appId)]).toEqual([['*'], ['*']])

  const [sent, failed] = [
    givenEvent(appId),
    givenEvent(appId, { type: 'notification.failed', data: { code: 'timeout', providerCode: null, attempts: 5 } }),
  ]
  rig.externalIds.set(sent.userId ?? '', 'customer-7')
  await rig.announce([sent, failed])
  await until(() => seenOf(appId).length === 2)
  const { at: ts, ...shown } = sent
  expect(seenOf(appId)).toEqual([
    { id: eventIdOf(sent), ts, ...shown, externalId: 'customer-7' },
    expect.objectContaining({ id: eventIdOf(failed), data: failed.data }),
  ])
  // No endpoint exists for which the events could wait, and none is stored.
  expect((await rig.gateway.call(listWebhooks, { appId, limit: 10 })).items).toEqual([])
  expect(await rig.db.selectFrom('events').select('place').where('app_id', '=', appId).execute()).toEqual([])
})

// spec: webhooks/watched
test('while an app is watched its endpoint gets the events that it asks for, and the watch shows all events', async () => {
  const receiver = await startReceiver()
  const { appId } = await rig.givenWebhook(`${receiver.url}/some`, { eventTypes: ['notification.failed'] })
  await watch(appId)
  expect(heardBy('tracker', appId)?.toSorted()).toEqual(['*', 'notification.failed'])
  const [sent, failed] = [givenEvent(appId), givenEvent(appId, { type: 'notification.failed' })]
  await rig.announce([sent, failed])
  await until(() => seenOf(appId).length === 2 && receiver.received.length === 1)
  expect(receiver.received[0]?.events.map(({ type }) => type)).toEqual(['notification.failed'])
})

// spec: webhooks/watched
test('a watch shows at most 100 events of an app in a second, and counts the others', async () => {
  const appId = newId()
  await watch(appId)
  await rig.announce(givenEvents(appId, 1_000))
  await until(() => seenOf(appId).length + droppedOf(appId) === 1_000)
  // One announcement is stored at once, so its events fall into one second, or on a slow machine into two.
  expect(seenOf(appId).length).toBeGreaterThanOrEqual(100)
  expect(seenOf(appId).length).toBeLessThanOrEqual(200)
})

// spec: webhooks/watched
test('when a watch is not renewed it ends, and tracker and audience announce again only what endpoints ask for', async () => {
  const appId = newId()
  await watch(appId)
  await endWatch(appId)
  await until(() => heardBy('tracker', appId)?.length === 0 && heardBy('audience', appId)?.length === 0)
  // The row is deleted after both have confirmed.
  await until(async () => (await rig.db.selectFrom('watched_apps').selectAll().where('app_id', '=', appId).execute()).length === 0)

  const webhook = await rig.givenWebhook(url, { eventTypes: ['campaign.completed'] })
  await watch(webhook.appId)
  await endWatch(webhook.appId)
  await until(() => String(heardBy('tracker', webhook.appId)) === 'campaign.completed')

  await watch(appId)
  expect(heardBy('tracker', appId)).toEqual(['*'])
})

test('the tracker is not told of each renewal of a watch, and unwatched apps’ events are not shown', async () => {
  const [appId, other] = [newId(), newId()]
  await watch(appId)
  for (const _ of Array(5)) await watch(appId)
  // The sweep may tell of the first watch too, when it runs at the same moment.
  expect(rig.told.tracker.filter((one) => one.appId === appId).length).toBeLessThanOrEqual(2)
  await rig.announce([givenEvent(other), givenEvent(appId)])
  await until(() => seenOf(appId).length === 1)
  expect(seenOf(other)).toEqual([])
})

test('a watch of which the tracker cannot be told is refused, and the next request for it tells the tracker', async () => {
  const appId = newId()
  rig.onTold.tracker = () => Promise.reject(queueUnavailable())
  await expect(watch(appId)).rejects.toMatchObject({ code: 'queue_unavailable' })
  rig.onTold.tracker = () => Promise.resolve()
  await watch(appId)
  expect(heardBy('tracker', appId)).toEqual(['*'])
})

test('deleting an app deletes its watch', async () => {
  const appId = newId()
  await watch(appId)
  await until(async () => (await rig.gateway.call(eraseWebhooksOfApp, { appId })).done)
  const { rows } = await sql`
    select app_id from watched_apps where app_id = ${appId} union all select app_id from listened_apps where app_id = ${appId}`.execute(
    rig.db,
  )
  expect(rows).toEqual([])
})
