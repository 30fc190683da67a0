import { eraseUser, eraseWebhooksOfApp } from '@herald/contracts/calls/webhooks'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { givenEvents, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
let receiver: Receiver
/** A receiver that never responds, so that deliveries to it stay pending. */
let blocked: Receiver
beforeAll(async () => {
  rig = await openRig()
  receiver = await startReceiver()
  blocked = await startReceiver(() => undefined)
  await rig.start()
})

/** Counts the rows of these endpoints: endpoints, queues, deliveries, and events of their apps, as long as the endpoints exist. */
async function rowsOf(endpointIds: string[]): Promise<number> {
  const { db } = rig
  const [endpoints, queues, waiting, deliveries] = await Promise.all([
    db.selectFrom('endpoints').select('id').where('id', 'in', endpointIds).execute(),
    db.selectFrom('queues').select('endpoint_id').where('endpoint_id', 'in', endpointIds).execute(),
    db
      .selectFrom('events')
      .innerJoin('endpoints', 'endpoints.app_id', 'events.app_id')
      .select('place')
      .where('endpoints.id', 'in', endpointIds)
      .execute(),
    db.selectFrom('deliveries').select('id').where('endpoint_id', 'in', endpointIds).execute(),
  ])
  return endpoints.length + queues.length + waiting.length + deliveries.length
}
const bodiesOf = async (appId: string) => (await rig.db.selectFrom('bodies').select('id').where('app_id', '=', appId).execute()).length
const eventsOf = async (appId: string) => (await rig.db.selectFrom('events').select('place').where('app_id', '=', appId).execute()).length

// spec: administration/delete-app
test('erasing an app deletes its endpoints, events, deliveries, bodies and marks, a part per call; others’ rows stay', async () => {
  const appId = newId()
  const other = await rig.givenWebhook(`${receiver.url}/other`)
  const endpoints = [await rig.givenWebhook(`${blocked.url}/one`, { appId }), await rig.givenWebhook(`${receiver.url}/two`, { appId })]
  const ids = endpoints.map(({ id }) => id)
  for (let n = 0; n < 4; n += 1) await rig.announce(givenEvents(appId, 1_000))
  await rig.announce(givenEvents(other.appId, 5))
  await rig.gateway.call(eraseUser, { appId, userId: newId() })
  await until(() => receiver.at('/two').length >= 40 && receiver.at('/other').length > 0 && blocked.received.length > 0)
  const before = await rowsOf(ids)

  expect(await rig.gateway.call(eraseWebhooksOfApp, { appId })).toEqual({ done: false })
  expect(before - (await rowsOf(ids))).toBeLessThanOrEqual(5_000)
  await until(async () => (await rig.gateway.call(eraseWebhooksOfApp, { appId })).done)

  expect(await rowsOf(ids)).toBe(0)
  expect([await bodiesOf(appId), await eventsOf(appId)]).toEqual([0, 0])
  expect(await rig.db.selectFrom('erased_users').select('user_id').where('app_id', '=', appId).execute()).toEqual([])
  expect(await rowsOf([other.id])).toBeGreaterThan(2)
  expect(await rig.gateway.call(eraseWebhooksOfApp, { appId })).toEqual({ done: true })
})

test('events that arrive during or after the deletion of their app are confirmed, and leave no event, delivery or body', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/late`)
  const { appId } = webhook
  const announced = Promise.all(Array.from({ length: 20 }, () => rig.announce(givenEvents(appId, 200))))
  await until(async () => (await rig.gateway.call(eraseWebhooksOfApp, { appId })).done)
  const late = [...(await announced), await rig.announce(givenEvents(appId, 10))]

  await until(() => late.every((id) => rig.confirmed.tracker.includes(id)))
  expect(await rowsOf([webhook.id])).toBe(0)
  expect([await bodiesOf(appId), await eventsOf(appId)]).toEqual([0, 0])
})
