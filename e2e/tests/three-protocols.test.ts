import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { givenTenant, type Device } from '@herald/testing/tenant'
import { sharedPlatform } from '../platform.ts'

const herald = await sharedPlatform()
const tenant = await givenTenant(herald)
// Files before this one have sent pushes too. From here on the simulator's record holds only those of this file.
await tenant.simulator('POST', '/reset')

type Push = {
  platform: Device['platform']
  deviceId: string
  id: string
  headers: Record<string, string>
  msgId: string
  payload: Record<string, unknown>
}
type Stats = { status: string; stats: Record<string, number>; rates: Record<string, number | null> }

const settled = (id: string) =>
  until(
    async () => {
      const { body } = await tenant.call<Stats>('GET', `/v1/campaigns/${id}/stats`)
      return body.status === 'sent' && body
    },
    { withinMs: 60_000, what: `campaign ${id} is sent` },
  )

/** Registers devices, a few at a time, and gives their ids at Herald. */
async function registerAll(devices: Device[], more: (index: number) => Record<string, unknown>): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0; start < devices.length; start += 20) {
    const page = devices.slice(start, start + 20)
    ids.push(...(await Promise.all(page.map((device, index) => tenant.register(device, more(start + index))))).map(({ id }) => id))
  }
  return ids
}

// spec: tracking/one-outcome, tracking/counters-exact
test('300 devices of three platforms each get their push exactly once, and the counters agree', async () => {
  const devices = [
    ...(await tenant.makeDevices('ios', 100)),
    ...(await tenant.makeDevices('android', 100)),
    ...(await tenant.makeDevices('web', 100)),
  ]
  await registerAll(devices, (index) => ({
    externalId: `user-${index}`,
    language: index % 2 === 0 ? 'de-AT' : 'fr',
    tags: { name: `Nr ${index}` },
  }))

  const accepted = await tenant.call<{ id: string; status: string }>('POST', '/v1/notifications', {
    target: { all: true },
    content: {
      _default: 'en',
      en: { title: 'Hello {{ tags.name }}', body: 'Your order is on its way', url: 'https://example.org/orders/1' },
      de: { title: 'Hallo {{ tags.name }}', body: 'Ihre Bestellung ist unterwegs' },
    },
    data: { order: '1' },
    ttl: 3600,
    collapseId: 'order-1',
    presentation: { sound: 'default', badge: 3, threadId: 'orders', channelId: 'orders' },
  })
  expect(accepted.status).toBe(202)
  expect(accepted.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), status: 'sending' })

  const { stats } = await settled(accepted.body.id)
  expect(stats).toMatchObject({ queued: 300, sent: 300, failed: 0, skipped: 0, delivered: 0 })

  const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', '/pushes?limit=1000')
  expect(pushes).toHaveLength(300)
  expect(new Set(pushes.map(({ deviceId }) => deviceId))).toEqual(new Set(devices.map(({ id }) => id)))
  expect(new Set(pushes.map(({ msgId }) => msgId)).size).toBe(300)

  const order = new Map(devices.map(({ id }, index) => [id, index]))
  for (const push of pushes) {
    const index = order.get(push.deviceId) ?? -1
    expect(push).toMatchObject(expectedPush(push, index % 2 === 0 ? `Hallo Nr ${index}` : `Hello Nr ${index}`))
  }
})

/** Gives the headers and payload fields that a push of the first test must have on its platform. */
const expectedPush = ({ platform, msgId }: Push, title: string) =>
  ({
    ios: {
      headers: { topic: tenant.bundleId, pushType: 'alert', priority: '10', collapseId: 'order-1' },
      payload: {
        aps: { alert: { title }, sound: 'default', badge: 3, 'thread-id': 'orders', 'mutable-content': 1 },
        herald: { msgId },
        order: '1',
      },
    },
    android: {
      payload: {
        message: {
          notification: { title },
          data: { msgId, order: '1' },
          android: {
            collapse_key: 'order-1',
            priority: 'high',
            ttl: expect.stringMatching(/^3(600|5\d\d)s$/),
            notification: { channel_id: 'orders', tag: 'order-1' },
          },
        },
      },
    },
    web: { headers: { topic: 'order-1', urgency: 'high' }, payload: { title, tag: 'order-1', data: { msgId, order: '1' } } },
  })[platform]

// spec: tracking/report, tracking/once, tracking/shows-at-once, tracking/rates
test('what a device reports is counted once and at once, and changes the rates', async () => {
  const [device] = await tenant.makeDevices('ios', 1)
  const { id: subscriptionId } = await tenant.register(device!)
  const { body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { subscriptionIds: [subscriptionId] },
    content: { _default: 'en', en: { title: 'One', body: 'Only one' } },
  })
  await settled(body.id)
  const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?deviceId=${device!.id}`)
  expect(pushes).toHaveLength(1)

  for (const kind of ['d', 'o', 'o', 'd']) {
    const { status } = await tenant.call('POST', `/v1/e/${kind}/${pushes[0]!.msgId}`, undefined, { authorization: '' })
    expect(status).toBe(204)
  }

  const { body: after } = await tenant.call<Stats>('GET', `/v1/campaigns/${body.id}/stats`)
  expect(after.stats).toMatchObject({ queued: 1, sent: 1, delivered: 1, opened: 1, clicked: 0, dismissed: 0 })
  expect(after.rates).toEqual({ delivery: 1, open: 1, click: 0 })
})

// spec: providers/dead-token, tracking/never-queued
test('a push to a dead token fails with its code, the device is invalidated, and later sends leave it out', async () => {
  const alive = await tenant.makeDevices('android', 2)
  const dead = [
    ...(await tenant.makeDevices('ios', 2)),
    ...(await tenant.makeDevices('android', 2)),
    ...(await tenant.makeDevices('web', 2)),
  ]
  const subscriptionIds = await registerAll([...alive, ...dead], (index) => ({ externalId: `mortal-${index}` }))
  // The devices die only after they have registered, because APNs says since when a token is dead, and Herald does not invalidate a device that
  // registered after that.
  await tenant.simulator('PUT', '/devices/behaviour', { ids: dead.map(({ id }) => id), answer: 'dead' })
  const send = () =>
    tenant.call<{ id: string }>('POST', '/v1/notifications', {
      target: { subscriptionIds },
      content: { _default: 'en', en: { title: 'Still there?', body: 'Say something' } },
    })

  const first = await send()
  expect((await settled(first.body.id)).stats).toMatchObject({ queued: 8, sent: 2, failed: 6, skipped: 0 })
  const { body: pushes } = await tenant.admin<{ items: { code: string }[] }>('GET', `/pushes?campaignId=${first.body.id}&outcome=failed`)
  expect(pushes.items.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'token_dead'))

  // Sends are repeated until only the living devices are queued: the devices with dead tokens are invalidated when their batch is finished, a moment
  // after its last outcome is counted.
  await until(async () => (await settled((await send()).body.id)).stats['queued'] === 2, { what: 'only the living are queued' })
})

// spec: providers/retry-after
test('when a provider limits the rate, the push is tried again and sent', async () => {
  const [device] = await tenant.makeDevices('android', 1, { behaviour: { answer: 'rate_limited', retryAfterSeconds: 2, times: 1 } })
  const { id: subscriptionId } = await tenant.register(device!)
  const { body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { subscriptionIds: [subscriptionId] },
    content: { _default: 'en', en: { title: 'Patience', body: 'Comes later' } },
  })

  expect((await settled(body.id)).stats).toMatchObject({ queued: 1, sent: 1, failed: 0 })
})

// spec: sending/target-resolves
test('a target by external ids, users, devices or a segment queues one push for each device that it names', async () => {
  const devices = [...(await tenant.makeDevices('ios', 2)), ...(await tenant.makeDevices('android', 1))]
  const registered = [
    await tenant.register(devices[0]!, { externalId: 'selected-a', tags: { team: 'red' } }),
    await tenant.register(devices[1]!, { externalId: 'selected-a' }),
    await tenant.register(devices[2]!, { externalId: 'selected-b', tags: { team: 'red' } }),
  ]
  const reach = async (target: unknown) => {
    const { body, status } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
      target,
      content: { _default: 'en', en: { title: 'Selected', body: 'You are' } },
    })
    expect(status).toBe(202)
    return (await settled(body.id)).stats['queued']
  }

  expect(await reach({ externalIds: ['selected-a', 'nobody'] })).toBe(2)
  expect(await reach({ userIds: [registered[2]!.userId, 'f'.repeat(24)] })).toBe(1)
  expect(await reach({ subscriptionIds: registered.map(({ id }) => id) })).toBe(3)
  expect(await reach({ segment: { field: 'tags.team', op: 'eq', value: 'red' } })).toBe(3)
  expect(
    await reach({
      segment: {
        and: [
          { field: 'tags.team', op: 'eq', value: 'red' },
          { field: 'platform', op: 'eq', value: 'android' },
        ],
      },
    }),
  ).toBe(1)
  expect(await reach({ externalIds: ['nobody at all'] })).toBe(0)
})

// spec: sending/silent
test('a silent push is sent to iOS, as a background push, and to Android, and browsers are skipped', async () => {
  const devices = [
    ...(await tenant.makeDevices('ios', 1)),
    ...(await tenant.makeDevices('android', 1)),
    ...(await tenant.makeDevices('web', 1)),
  ]
  const ids = await registerAll(devices, () => ({}))
  const { body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { subscriptionIds: ids },
    silent: true,
    data: { refresh: 'yes' },
  })

  expect((await settled(body.id)).stats).toMatchObject({ queued: 3, sent: 2, skipped: 1 })
  const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?deviceId=${devices[0]!.id}`)
  expect(pushes[0]!.headers).toMatchObject({ pushType: 'background', priority: '5' })
  expect(pushes[0]!.payload).toMatchObject({ aps: { 'content-available': 1 }, refresh: 'yes' })
})
