import { hash } from 'node:crypto'
import { findTestDevices } from '@herald/contracts/calls/audience'
import {
  cancelCampaign,
  createCampaign,
  listCampaigns,
  readSend,
  readTemplate,
  sendTest,
  settleCampaigns,
} from '@herald/contracts/calls/campaigns'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { NotQueued, TestSelector, TestSend } from '@herald/contracts/test-send'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { insertTemplate } from './store/templates.ts'
import { givenCampaign, givenContent, givenExperiment, givenPlatform } from './testing/given-campaigns.ts'

const platform = await givenPlatform()
const { db, gateway, audience } = platform

/** The stand-in for audience knows which devices cannot be reached, and does not know the device `stranger`. */
const stranger = newId()
const unreachable = new Map<string, NotQueued['code']>()
const asked: { appId: string; selector: TestSelector }[] = []
audience.bus.answer(findTestDevices, async (request) => {
  asked.push(request)
  const { selector } = request
  if ('subscriptionId' in selector && selector.subscriptionId === stranger) throw notFound()
  const ids = 'subscriptionId' in selector ? [selector.subscriptionId] : 'subscriptionIds' in selector ? selector.subscriptionIds : []
  return {
    devices: ids.map((subscriptionId) => ({ subscriptionId, platform: 'ios', unreachable: unreachable.get(subscriptionId) ?? null })),
  }
})

const appId = newId()
const send = (test: Partial<TestSend>, key?: string, app = appId) =>
  gateway.call(sendTest, {
    appId: app,
    idempotency: key === undefined ? null : { key, fingerprint: hash('sha256', JSON.stringify(test)) },
    test: { subscriptionId: newId(), ...(test.campaignId ? {} : { content: givenContent() }), ...test },
  })
const list = async (app: string, filter: { test?: boolean; transactional?: boolean; q?: string; status?: 'sending' } = {}) =>
  (await gateway.call(listCampaigns, { appId: app, limit: 50, ...filter })).items
const handed = async (id: string) =>
  until(() => audience.handedOver.find(({ send: { campaignId } }) => campaignId === id), { what: 'the send that was handed over' })

// spec: administration/test-send
test('a test is a notification marked as a test in its row and in audience’s send', async () => {
  const subscriptionIds = [newId(), newId()]

  const { id, status, replayed, notQueued } = await send({ subscriptionId: undefined, subscriptionIds, data: { order: '17' } })

  expect({ status, replayed, notQueued }).toEqual({ status: 'sending', replayed: false, notQueued: [] })
  expect(await platform.rowOf(id)).toMatchObject({ test: true, transactional: true, name: 'notification', status: 'sending' })
  expect(await handed(id)).toMatchObject({
    send: { test: true, name: 'notification', data: { order: '17' }, content: givenContent() },
    target: { kind: 'subscriptionIds', subscriptionIds },
  })
  expect(await gateway.call(readSend, { campaignId: id })).toMatchObject({ send: { test: true } })
  expect(asked).toContainEqual({ appId, selector: { subscriptionIds } })
})

// spec: administration/test-send, webhooks/event-completed
test('testing a draft or a cancelled campaign sends its text, fields and name, and does not change the campaign', async () => {
  const about = {
    ttl: 60,
    collapseId: 'autumn',
    priority: 'normal',
    data: { page: 'sale' },
    overrides: { web: { renotify: true } },
  } as const
  const { id: of } = await gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign({ name: 'Autumn', ...about }) })
  const before = await platform.rowOf(of)

  const draft = await send({ campaignId: of })
  await gateway.call(cancelCampaign, { appId, campaignId: of })
  const cancelled = await send({ campaignId: of })

  for (const { id } of [draft, cancelled])
    expect((await handed(id)).send).toMatchObject({ name: 'Autumn', content: givenContent(), test: true, transactional: true, ...about })
  expect(await platform.rowOf(of)).toEqual({ ...before, status: 'cancelled', settled_at: expect.any(Date) })
  await expect(send({ campaignId: of }, undefined, newId())).rejects.toMatchObject({ code: 'not_found' })
  await expect(send({ campaignId: newId() })).rejects.toMatchObject({ code: 'not_found' })
})

// spec: administration/test-send
test('a test can send a variant of an experiment, else the campaign’s own text; an unknown variant is refused', async () => {
  const { id: of } = await gateway.call(createCampaign, {
    appId,
    idempotency: null,
    campaign: givenCampaign({ experiment: givenExperiment() }),
  })
  const { id: plain } = await gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign() })

  const [ofVariant, ofCampaign] = [await send({ campaignId: of, variant: 'b' }), await send({ campaignId: of })]

  expect((await handed(ofVariant.id)).send).toMatchObject({ content: givenContent('It is b.'), experiment: null })
  expect((await handed(ofCampaign.id)).send).toMatchObject({ content: givenContent(), experiment: null })
  for (const campaignId of [of, plain])
    await expect(send({ campaignId, variant: 'z' })).rejects.toMatchObject({ code: 'unknown_variant', details: [{ path: 'variant' }] })
})

// spec: administration/test-send-mark
test('a marked test has [Test] before the title of each language, and its content is otherwise unchanged', async () => {
  const content = { _default: 'en', en: { title: 'Order', body: 'Ready' }, de: { title: 'Bestellung', body: 'Fertig' } }

  const [marked, plain] = [await send({ content, mark: true }), await send({ content, mark: false })]

  expect((await handed(marked.id)).send.content).toEqual({
    _default: 'en',
    en: { title: '[Test] Order', body: 'Ready' },
    de: { title: '[Test] Bestellung', body: 'Fertig' },
  })
  expect((await handed(plain.id)).send.content).toEqual(content)
})

// spec: administration/test-send-exempt
test('a test has the fields of its template, and does not count in the template’s useCount', async () => {
  const id = newId()
  await insertTemplate(db, { id, appId, template: { name: id, content: givenContent('From the template.'), ttl: 60 } })

  const tested = await send({ content: undefined, templateId: id })

  expect((await handed(tested.id)).send).toMatchObject({ content: givenContent('From the template.'), ttl: 60 })
  expect((await gateway.call(readTemplate, { appId, templateId: id })).useCount).toBe(0)
  expect(await db.selectFrom('template_uses').selectAll().where('template_id', '=', id).execute()).toEqual([])
  await expect(send({ content: undefined, templateId: newId() })).rejects.toMatchObject({ code: 'not_found' })
})

// spec: administration/campaign-list
test('a list of campaigns leaves tests out, and with test=true it lists only tests', async () => {
  const app = newId()
  const { id: draft } = await gateway.call(createCampaign, { appId: app, idempotency: null, campaign: givenCampaign() })
  const tests = [(await send({}, undefined, app)).id, (await send({}, undefined, app)).id]
  const idsOf = async (filter: Parameters<typeof list>[1] = {}) => (await list(app, filter)).map(({ id }) => id)

  expect(await idsOf()).toEqual([draft])
  expect(await idsOf({ test: false })).toEqual([draft])
  expect(await idsOf({ transactional: true })).toEqual([])
  expect(await idsOf({ q: 'notif' })).toEqual([])
  expect((await idsOf({ test: true })).toSorted()).toEqual(tests.toSorted())
  expect(await idsOf({ test: true, transactional: false })).toEqual([])
  expect(await idsOf({ test: true, q: 'notif', transactional: true })).toHaveLength(2)
  expect((await list(app, { test: true })).map(({ test: isTest }) => isTest)).toEqual([true, true])
})

// spec: limits/lists
test('pages of a list of campaigns skip the tests between the campaigns and miss no campaign', async () => {
  const app = newId()
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) {
    made.unshift((await gateway.call(createCampaign, { appId: app, idempotency: null, campaign: givenCampaign() })).id)
    for (let tests = 0; tests < 3; tests += 1) await send({}, undefined, app)
  }
  const seen: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await gateway.call(listCampaigns, { appId: app, limit: 2, ...(cursor ? { cursor } : {}) })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor)
  expect(seen.toSorted()).toEqual(made.toSorted())
  expect(seen).toHaveLength(3)
})

// spec: administration/test-send-answer, limits/idempotency-replay
test('a repeat of a test’s Idempotency-Key gets the first answer, with the devices unreachable then', async () => {
  const [fine, gone] = [newId(), newId()]
  unreachable.set(gone, 'opted_out')
  const body = { subscriptionId: undefined, subscriptionIds: [fine, gone] }

  const first = await send(body, 'test-1')
  unreachable.clear()
  const askedBefore = asked.length
  const again = await send(body, 'test-1')

  expect(first).toMatchObject({ replayed: false, notQueued: [{ subscriptionId: gone, platform: 'ios', code: 'opted_out' }] })
  expect(again).toEqual({ ...first, replayed: true })
  expect(asked).toHaveLength(askedBefore)
  expect(await handed(first.id)).toMatchObject({ target: { subscriptionIds: [fine] } })
  await expect(send({ ...body, mark: true }, 'test-1')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})

// spec: limits/idempotency-commit
test('20 simultaneous requests with one Idempotency-Key make one test', async () => {
  const app = newId()
  const body = { subscriptionId: newId() }
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => send(body, 'once', app)))

  const ids = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []))
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
  expect(new Set(ids).size).toBe(1)
  expect(refused.filter((code) => code !== 'idempotency_in_progress')).toEqual([])
  expect(await list(app, { test: true })).toHaveLength(1)
})

test('a test that is refused writes no row and uses up no Idempotency-Key', async () => {
  const app = newId()
  await expect(send({ subscriptionId: stranger }, 'refused', app)).rejects.toMatchObject({ code: 'not_found' })
  const long = 'x'.repeat(2000)
  const tooLarge = {
    _default: 'en',
    en: { title: 'y'.repeat(250), body: 'b', url: `https://e.example/${long}`, image: `https://e.example/${long}` },
  }
  await expect(send({ content: tooLarge }, 'refused', app)).rejects.toMatchObject({
    code: 'invalid_body',
    details: ['ios', 'android', 'web'].map(() => ({ path: 'content.en' })),
  })

  expect(await list(app, { test: true })).toEqual([])
  expect(await send({}, 'refused', app)).toMatchObject({ replayed: false })
})

test('a test that has settled has the status sent and has lost its device ids', async () => {
  const { id } = await send({})
  await gateway.call(settleCampaigns, { campaignIds: [id] })
  expect(await platform.rowOf(id)).toMatchObject({
    status: 'sent',
    target: { kind: 'forgotten', by: 'subscriptionIds', count: 1 },
    test: true,
  })
})
