import { eraseUser, exportDeliveries } from '@herald/contracts/calls/webhooks'
import { newId } from '@herald/contracts/ids'
import type { ExportedDelivery } from '@herald/contracts/person'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { givenDeliveries, givenEvent, givenEvents, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
let receiver: Receiver
beforeAll(async () => {
  rig = await openRig()
  receiver = await startReceiver()
  await rig.start()
})

async function all(of: { appId: string; userId: string }) {
  const deliveries: ExportedDelivery[] = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after
    const portion = await rig.gateway.call(exportDeliveries, { ...of, after: from })
    deliveries.push(...portion.deliveries)
    after = portion.next ?? undefined
  }
  return deliveries
}

// spec: administration/export-person
test('for each endpoint the deliveries that name a user are exported, with the events of that user only', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/one`)
  const { appId } = webhook
  const other = await rig.givenWebhook(`${receiver.url}/two`, { appId })
  const userId = newId()
  rig.externalIds.set(userId, 'customer-7')
  const mine = [givenEvent(appId, { userId }), givenEvent(appId, { userId, type: 'notification.opened' })]
  await rig.announce([...givenEvents(appId, 5), ...mine, ...givenEvents(appId, 5)])
  await until(() => receiver.at('/one').length > 0 && receiver.at('/two').length > 0, { what: 'two deliveries' })
  await until(async () => (await all({ appId, userId })).every(({ state }) => state === 'delivered'), { what: 'both are delivered' })

  const found = await all({ appId, userId })

  expect(found.map(({ webhookId }) => webhookId).toSorted()).toEqual([webhook.id, other.id].toSorted())
  for (const delivery of found) {
    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^dlv_/),
      createdAt: expect.stringMatching(/Z$/),
      endedAt: expect.stringMatching(/Z$/),
    })
    expect(delivery.events.map(({ type }) => type).toSorted()).toEqual(['notification.opened', 'notification.sent'])
    expect(delivery.events).toEqual(delivery.events.map((event) => expect.objectContaining({ ...event, userId, externalId: 'customer-7' })))
  }
  expect(await all({ appId, userId: newId() })).toEqual([])
  expect(await all({ appId: newId(), userId })).toEqual([])
})

// spec: administration/export-person
test('each of 53 large deliveries of a user is exported once', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/many`)
  const userId = newId()
  const events = Buffer.from(JSON.stringify([{ id: 'evt_1', type: 'notification.sent', userId, filler: 'x'.repeat(100_000) }]))
  const ids = await givenDeliveries(rig.db, webhook, 53, { events, userIds: [userId] })

  const found = await all({ appId: webhook.appId, userId })

  expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
})

// spec: webhooks/erasure
test('nothing is exported for a user who was erased', async () => {
  const webhook = await rig.givenWebhook(`${receiver.url}/erased`)
  const userId = newId()
  const events = Buffer.from(JSON.stringify([{ id: 'evt_1', type: 'notification.sent', userId }]))
  await givenDeliveries(rig.db, webhook, 2, { events, userIds: [userId] })

  await rig.gateway.call(eraseUser, { appId: webhook.appId, userId })

  expect(await all({ appId: webhook.appId, userId })).toEqual([])
})
