import type { Explained } from '@herald/contracts/explain'
import { isInSample } from '@herald/contracts/experiment'
import type { Inbox } from '@herald/contracts/inbox'
import { http } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { startExampleShop } from '../example-shop.ts'
import { sharedPlatform } from '../platform.ts'
import { devicesOf, givenDevices, ledgerOf, ok, pushesOf, read, untilSettled, type Json } from './campaigns.ts'

// A week of the example shop, through its own pages: what its staff sends, what customers choose and order, and what then reaches their phones.

const herald = await sharedPlatform()
const customers = 600

test('in a week the shop tries two texts, sends the better one to the others, and replaces a wrong price', async () => {
  const tenant = await givenTenant(herald)
  const shop = await startExampleShop(herald, tenant, { HERALD_CATEGORY: 'orders', HERALD_OFFERS_CATEGORY: 'offers' })
  const ask = async <Body>(method: string, path: string, status: number, body?: Json): Promise<Body> =>
    ok(await http<Body>(method, `${shop}${path}`, { body }), status)

  // Monday: the categories, and the customers. Every tenth has a tablet too, every twentieth has switched pushes off, another twentieth leaves the offers.
  for (const category of [
    { id: 'orders', name: 'Orders', default: 'in', locked: true },
    { id: 'offers', name: 'Offers', default: 'in' },
  ])
    ok(await tenant.admin('POST', '/categories', category), 201)
  const phones = await givenDevices(tenant, 'ios', customers, (index) => ({ externalId: `customer-${index}` }))
  const tablets = await givenDevices(tenant, 'android', customers / 10, (index) => ({ externalId: `customer-${index * 10}` }))
  const silenced = phones.filter((_, place) => place % 20 === 1)
  const left = phones.filter((_, place) => place % 20 === 2)
  for (const { id } of silenced) ok(await tenant.call('PATCH', `/v1/subscriptions/${id}`, { optedIn: false }), 200)
  for (const [place] of phones.entries())
    if (place % 20 === 2) await ask('PATCH', `/customers/customer-${place}/preferences`, 200, { offers: false })
  const devices = [...phones, ...tablets]
  const idsOf = (some: typeof devices) => new Set(some.map(({ id }) => id))
  const [silencedIds, leftIds] = [idsOf(silenced), idsOf(left)]

  // Tuesday: the offer, to six customers in ten.
  const { id } = await ask<{ id: string }>('POST', '/offers', 201, {
    item: 'teapot',
    texts: { price: 'Teapots at half price', new: 'A new teapot' },
  })
  const sample = devices.filter(({ userId }) => isInSample(0.6, id, userId))
  const skipped = sample.filter((one) => silencedIds.has(one.id) || leftIds.has(one.id))
  expect(await untilSettled(tenant, id)).toMatchObject({
    queued: sample.length,
    sent: sample.length - skipped.length,
    skipped: skipped.length,
  })
  expect(await read(tenant, id)).toMatchObject({ sendRate: { perMinute: 6_000 }, inbox: true, category: 'offers' })
  for (const { subscriptionId, outcome, code } of await ledgerOf(tenant, id))
    expect([outcome, code]).toEqual(
      leftIds.has(subscriptionId)
        ? ['skipped', 'unsubscribed']
        : silencedIds.has(subscriptionId)
          ? ['skipped', 'opted_out']
          : ['sent', null],
    )

  // Wednesday: who reads of the price opens it and orders; of the others one in four.
  const first = await pushesOf(tenant, id)
  const buyers = new Map(first.filter(({ variant }, place) => variant === 'price' || place % 4 === 0).map((push) => [push.userId, push]))
  const nameOf = new Map(phones.map(({ userId }, place) => [userId, `customer-${place}`]))
  for (const { msgId } of buyers.values()) ok(await tenant.call('POST', `/v1/e/o/${msgId}`), 204)
  const orders: { campaignId: string }[] = []
  for (const userId of buyers.keys()) orders.push(await ask('POST', '/orders', 201, { customer: nameOf.get(userId), item: 'teapot' }))
  const { stats } = await read(tenant, id)
  expect(stats.conversions?.['order']).toMatchObject({ count: buyers.size, direct: buyers.size, users: buyers.size })

  // Thursday: the time that an experiment waits for its first look is over.
  await onDatabase(herald, (client) =>
    client.query(`update campaigns.campaigns set settled_at = now() - interval '2 days', winner_due_at = now() where id = $1`, [id]),
  )
  const winner = await until(async () => (await read(tenant, id)).winner ?? undefined, { withinMs: 60_000, what: 'the winner' })
  expect(winner).toMatchObject({ variant: 'price', by: null, decidedBy: 'significance' })
  await untilSettled(tenant, winner.campaignId)
  const rest = await pushesOf(tenant, winner.campaignId)
  expect(new Set(rest.map(({ title }) => title))).toEqual(new Set(['Teapots at half price']))
  const wanted = devices.filter((one) => !silencedIds.has(one.id) && !leftIds.has(one.id))
  expect(devicesOf([...first, ...rest])).toEqual(wanted.map(({ device }) => device.id).toSorted())

  // Friday: who switched pushes off reads the offer in the shop, and who left the offers does not.
  const inbox = (place: number) => ask<Inbox>('GET', `/customers/customer-${place}/inbox`, 200)
  expect(await inbox(1)).toMatchObject({
    items: [{ body: expect.stringContaining('teapot'), category: 'offers', readAt: null }],
    unread: 1,
  })
  await ask('POST', '/customers/customer-1/inbox/read', 204)
  expect(await inbox(1)).toMatchObject({ items: [{ readAt: expect.any(String) }], unread: 0 })
  expect(await inbox(2)).toMatchObject({ items: [], unread: 0 })
  const sentence = async (place: number) => {
    const campaignId = isInSample(0.6, id, phones[place]!.userId) ? id : winner.campaignId
    return ok(await tenant.admin<Explained>('GET', `/explain?campaignId=${campaignId}&externalId=customer-${place}`), 200).devices[0]
      ?.sentence
  }
  expect([await sentence(1), await sentence(2)]).toEqual([
    expect.stringContaining('has the send in its inbox'),
    expect.stringContaining('not subscribed to the category offers'),
  ])

  // Saturday: the price was wrong. Who has the offer and has not opened it gets the right one in its place.
  const content = { _default: 'en', en: { title: 'Teapots at 60 %', body: 'The price was wrong' } }
  const recalled = ok(await tenant.call<{ id: string }>('POST', `/v1/campaigns/${id}/recall`, { mode: 'replace', content }), 202)
  await untilSettled(tenant, recalled.id)
  const opened = new Set([...buyers.values()].map(({ msgId }) => msgId))
  const replaced = await pushesOf(tenant, recalled.id)
  expect(devicesOf(replaced)).toEqual(devicesOf(first.filter(({ msgId }) => !opened.has(msgId))))
  const placeOf = new Map(first.map(({ deviceId, headers }) => [deviceId, headers['apns-collapse-id']]))
  for (const { deviceId, headers, title } of replaced)
    expect([title, headers['apns-collapse-id']]).toEqual(['Teapots at 60 %', placeOf.get(deviceId)])

  // Sunday: every order has told its customer, and all that was queued is counted.
  const notices = await Promise.all(orders.map(({ campaignId }) => untilSettled(tenant, campaignId)))
  expect(notices.every(({ queued, sent }) => queued === sent && queued > 0)).toBe(true)
  const total = (await ledgerOf(tenant, id)).length + (await ledgerOf(tenant, winner.campaignId)).length
  expect(total).toBe(devices.length)
}, 300_000)
