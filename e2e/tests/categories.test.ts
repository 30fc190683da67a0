import { mintMessageId } from '@herald/auth/message-id'
import type { ShownPreferences } from '@herald/contracts/category'
import type { Explained } from '@herald/contracts/explain'
import { http } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { givenDevices, idsOf, devicesOf, ledgerOf, ok, pushesOf, sendCampaign, textOf, untilSettled, type Registered } from './campaigns.ts'

// Categories through the complete platform: what an operator makes, what people choose, and what then reaches their phones.

const herald = await sharedPlatform()
let tenant: Tenant
let people: Record<'leaver' | 'joined' | 'silent', Registered>
beforeAll(async () => {
  tenant = await givenTenant(herald)
  const category = (body: object) => tenant.admin('POST', '/categories', body)
  ok(await category({ id: 'offers', name: 'Offers', default: 'in' }), 201)
  ok(await category({ id: 'news', name: 'News', default: 'out', presentation: { channelId: 'news', threadId: 'news' } }), 201)
  ok(await category({ id: 'security', name: 'Security', default: 'in', locked: true }), 201)
  const names = ['leaver', 'joined', 'silent'] as const
  const devices = await givenDevices(tenant, 'ios', 3, (index) => ({ externalId: names[index] }))
  people = Object.fromEntries(names.map((name, index) => [name, devices[index]])) as typeof people
})

const ofUser = (externalId: string) => `/v1/users/by-external-id/${externalId}/preferences`
const choose = async (externalId: string, categories: Record<string, boolean | null>): Promise<ShownPreferences> =>
  ok(await tenant.call<ShownPreferences>('PATCH', ofUser(externalId), { categories }), 200)
const subscribedTo = async (externalId: string) =>
  ok(await tenant.call<ShownPreferences>('GET', ofUser(externalId)), 200)
    .categories.flatMap(({ id, subscribed }) => (subscribed ? [id] : []))
    .toSorted()
const send = async (fields: object) => {
  const id = await sendCampaign(tenant, { ...fields }, 'sending')
  const stats = await untilSettled(tenant, id)
  return { id, stats, reached: devicesOf(await pushesOf(tenant, id)) }
}
const explain = async (campaignId: string, externalId: string) =>
  ok(await tenant.admin<Explained>('GET', `/explain?campaignId=${campaignId}&externalId=${externalId}`), 200).devices[0]
const tap = (msgId: string) => http('POST', `${herald.baseUrl}/v1/u/${msgId}`)

// spec: categories/skipped, categories/change, categories/exempt
test('a send reaches who is in its category by default or choice, and a locked one reaches everybody', async () => {
  await choose('leaver', { offers: false })
  await choose('joined', { news: true })
  expect(await subscribedTo('leaver')).toEqual(['security'])
  const offers = await send({ category: 'offers' })
  expect(offers.stats).toMatchObject({ queued: 3, sent: 2, skipped: 1 })
  expect(offers.reached).toEqual(idsOf([people.joined, people.silent]))
  expect((await send({ category: 'news' })).reached).toEqual(idsOf([people.joined]))
  expect((await send({ category: 'security' })).reached).toHaveLength(3)
  await choose('joined', { news: null })
  expect((await send({ category: 'news' })).reached).toEqual([])
  const locked = await tenant.call('PATCH', ofUser('leaver'), { categories: { security: false } })
  expect(locked).toMatchObject({ status: 422, body: { error: { details: [{ path: 'categories.security' }] } } })
})

// spec: categories/explained, categories/frozen
test('unsubscribed is in counters, ledger, breakdown, series and dry run of a send, and explain says why', async () => {
  await choose('leaver', { offers: false })
  const dry = ok(
    await tenant.admin<{ skips: unknown }>('POST', '/dry-run', {
      campaign: { name: 'Test', content: textOf('Hello'), category: 'offers' },
    }),
    200,
  )
  expect(dry.skips).toEqual([{ reason: 'unsubscribed', devices: 1, exact: true }])
  const { id, stats } = await send({ category: 'offers' })
  expect(stats).toMatchObject({ queued: 3, sent: 2, skipped: 1 })
  expect(await ledgerOf(tenant, id, '&outcome=skipped')).toMatchObject([
    { subscriptionId: people.leaver.id, code: 'unsubscribed', attempts: 0 },
  ])
  const breakdown = ok(await tenant.admin<{ codes: object[] }>('GET', `/campaigns/${id}/breakdown`), 200)
  expect(breakdown.codes).toContainEqual(expect.objectContaining({ code: 'unsubscribed' }))
  const hour = 3_600_000
  const from = new Date(Math.floor(Date.now() / hour) * hour - hour).toISOString()
  const to = new Date(Math.floor(Date.now() / hour) * hour + hour).toISOString()
  const series = ok(await tenant.admin<{ codes: object[] }>('GET', `/series?from=${from}&to=${to}&bucket=hour&by=code`), 200)
  expect(series.codes).toContainEqual(expect.objectContaining({ code: 'unsubscribed' }))

  expect(await explain(id, 'leaver')).toMatchObject({
    verdict: 'skipped',
    certainty: 'recorded',
    sentence: expect.stringContaining('the user is not subscribed to the category offers'),
    steps: expect.arrayContaining([expect.objectContaining({ step: 'category', result: 'stop', subscribed: false, default: 'in' })]),
  })
  expect(await explain(id, 'silent')).toMatchObject({
    verdict: 'sent',
    steps: expect.arrayContaining([expect.objectContaining({ step: 'category', result: 'pass', subscribed: true })]),
  })
  await choose('leaver', { offers: null })
  expect((await explain(id, 'leaver'))?.sentence).toContain('not subscribed to the category offers')
})

// spec: categories/delete
test('a category of a scheduled campaign cannot be deleted, and one of a cancelled campaign can', async () => {
  ok(await tenant.admin('POST', '/categories', { id: 'brief', name: 'Brief', default: 'in' }), 201)
  const schedule = { type: 'at', at: new Date(Date.now() + 86_400_000).toISOString() }
  const id = await sendCampaign(tenant, { category: 'brief', schedule }, 'scheduled')
  expect(await tenant.admin('DELETE', '/categories/brief')).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
  ok(await tenant.call('POST', `/v1/campaigns/${id}/cancel`), 200)
  expect((await tenant.admin('DELETE', '/categories/brief')).status).toBe(204)
})

// spec: categories/one-tap, categories/payload, categories/presentation
test('the push names a category that can be left, one tap leaves it, and a forged one is refused', async () => {
  await choose('joined', { news: true, offers: null })
  const news = await send({ category: 'news' })
  const [push] = await pushesOf(tenant, news.id)
  expect(push?.payload).toMatchObject({ herald: { category: 'news' }, aps: { 'thread-id': 'news' } })
  const msgId = push?.msgId ?? ''
  expect((await tap(`${msgId.slice(0, -2)}xx`)).status).toBe(400)
  const [, campaignId = '', userId = '', subscriptionId = ''] = Buffer.from(msgId.split('.')[0] ?? '', 'base64url')
    .toString()
    .split('|')
  expect(
    (await tap(mintMessageId('guessed', { appId: tenant.appId, campaignId, userId, subscriptionId, platform: 'ios', variant: '' }))).status,
  ).toBe(400)
  expect(await subscribedTo('joined')).toEqual(['news', 'offers', 'security'])
  for (let taps = 0; taps < 2; taps += 1) expect((await tap(msgId)).status).toBe(204)
  expect(await subscribedTo('joined')).not.toContain('news')

  const security = await send({ category: 'security' })
  const [locked] = (await pushesOf(tenant, security.id)).filter(({ userId: of }) => of === userId)
  expect(locked?.payload).toMatchObject({ herald: { msgId: expect.any(String) } })
  expect(JSON.stringify(locked?.payload)).not.toContain('category')
  expect((await tap(locked?.msgId ?? '')).status).toBe(204)
  expect(await subscribedTo('joined')).toContain('security')
})
