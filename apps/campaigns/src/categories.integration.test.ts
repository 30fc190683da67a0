import {
  cancelCampaign,
  createCampaign,
  createCategory,
  createTemplate,
  deleteCategory,
  eraseCampaignsOfApp,
  explainCampaign,
  findLeavable,
  getCampaign,
  listCategories,
  readTemplate,
  replaceCategory,
  resolveSend,
  sendCampaign,
  sendNotification,
  settleCampaigns,
} from '@herald/contracts/calls/campaigns'
import type { CreateCategory } from '@herald/contracts/category'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign, givenContent, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const make = (appId: string, id: string, fields: Partial<CreateCategory> = {}) =>
  platform.gateway.call(createCategory, { appId, category: { id, name: id, default: 'in', ...fields } })
const notify = (appId: string, fields: Parameters<typeof givenNotification>[0]) =>
  platform.gateway.call(sendNotification, { appId, idempotency: null, notification: givenNotification(fields) })
const draft = async (appId: string, fields: Parameters<typeof givenCampaign>[0]) =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign(fields) })).id
const send = (appId: string, campaignId: string) => platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC' })
const frozen = async (appId: string, campaignId: string) =>
  (await platform.gateway.call(explainCampaign, { appId, campaignId }))?.send.category
const offers = { id: 'offers', default: 'in', locked: false }

// spec: categories/fields, categories/id
test('categories are listed in the order made, an id is taken once, and a PUT replaces the whole', async () => {
  const appId = newId()
  const made = await make(appId, 'offers', { description: 'Sales', locked: true, presentation: { channelId: 'loud' } })
  expect(made).toEqual({
    ...{ id: 'offers', name: 'offers', description: 'Sales', default: 'in', locked: true, presentation: { channelId: 'loud' } },
    ...{ createdAt: expect.any(String), updatedAt: made.createdAt },
  })
  await make(appId, 'a-later-one')
  await expect(make(appId, 'offers')).rejects.toMatchObject({ code: 'duplicate_name' })
  expect((await make(newId(), 'offers')).id).toBe('offers')

  const category = { name: 'Offers', default: 'out' } as const
  const replaced = await platform.gateway.call(replaceCategory, { appId, categoryId: 'offers', category })
  expect(replaced).toMatchObject({ ...category, description: null, locked: false, presentation: null, createdAt: made.createdAt })
  const { categories } = await platform.gateway.call(listCategories, { appId })
  expect(categories.map(({ id }) => id)).toEqual(['offers', 'a-later-one'])
  const other = newId()
  await expect(platform.gateway.call(replaceCategory, { appId: other, categoryId: 'offers', category })).rejects.toMatchObject({
    code: 'not_found',
  })
})

// spec: categories/limit
test('of ten categories that are made at once beside 45 others an app keeps five', async () => {
  const appId = newId()
  for (let n = 0; n < 45; n += 1) await make(appId, `c${n}`)
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => make(appId, `at-once-${n}`)))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [(answer.reason as { code: string }).code] : []))
  expect(new Set(refusals)).toEqual(new Set(['limit_reached']))
})

// spec: categories/sends, categories/frozen
test('a notification freezes id, default and locked of its category, and a later change of the category changes nothing', async () => {
  const appId = newId()
  await make(appId, 'offers')
  const { id } = await notify(appId, { category: 'offers' })
  await platform.gateway.call(replaceCategory, { appId, categoryId: 'offers', category: { name: 'x', default: 'out', locked: true } })
  expect(await frozen(appId, id)).toEqual(offers)
  expect((await platform.gateway.call(getCampaign, { appId, campaignId: id })).category).toBe('offers')
  expect(platform.audience.handedOver.find((one) => one.send.campaignId === id)?.send.category).toEqual(offers)
  const plain = await notify(appId, {})
  expect(await frozen(appId, plain.id)).toBeUndefined()
})

// spec: categories/sends
test('a category that the app does not have is refused at category, on a notification, a campaign and a template', async () => {
  const [appId, other] = [newId(), newId()]
  await make(other, 'offers')
  const refusal = { code: 'invalid_body', details: [{ path: 'category', message: 'names no category of this app' }] }
  await expect(notify(appId, { category: 'offers' })).rejects.toMatchObject(refusal)
  await expect(draft(appId, { category: 'offers' })).rejects.toMatchObject(refusal)
  const template = { name: 'Offer', content: givenContent(), category: 'offers' }
  await expect(platform.gateway.call(createTemplate, { appId, template })).rejects.toMatchObject(refusal)
  const notification = givenNotification({ category: 'offers' })
  await expect(platform.gateway.call(resolveSend, { appId, defaultTimezone: 'UTC', notification })).rejects.toMatchObject(refusal)
})

// spec: categories/sends, categories/presentation
test('a template brings its category, whose presentation lies under that of the template and of the send', async () => {
  const appId = newId()
  await make(appId, 'offers', { presentation: { channelId: 'loud', sound: 'bell' } })
  await make(appId, 'news')
  const template = { name: 'Offer', content: givenContent(), category: 'offers', presentation: { sound: 'chime' } }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template })
  expect((await platform.gateway.call(readTemplate, { appId, templateId })).category).toBe('offers')

  const { content: _, ...bare } = givenNotification()
  const use = (fields: object) =>
    platform.gateway.call(sendNotification, { appId, idempotency: null, notification: { ...bare, templateId, ...fields } })
  const rowOf = async (fields: object) => platform.rowOf((await use(fields)).id)
  expect(await rowOf({})).toMatchObject({ category: offers, presentation: { channelId: 'loud', sound: 'chime' } })
  expect(await rowOf({ presentation: { badge: 1 } })).toMatchObject({ presentation: { channelId: 'loud', sound: 'bell', badge: 1 } })
  expect(await rowOf({ category: 'news' })).toMatchObject({ category: { id: 'news' }, presentation: { sound: 'chime' } })
})

// spec: categories/frozen, categories/delete
test('a campaign freezes its category when it is sent, and is not sent when the category was deleted meanwhile', async () => {
  const appId = newId()
  await make(appId, 'offers')
  await make(appId, 'news')
  const [sent, left] = [await draft(appId, { category: 'offers' }), await draft(appId, { category: 'news' })]
  await platform.gateway.call(replaceCategory, { appId, categoryId: 'offers', category: { name: 'x', default: 'out' } })
  await platform.gateway.call(deleteCategory, { appId, categoryId: 'news' })
  await send(appId, sent)
  expect(await frozen(appId, sent)).toEqual({ ...offers, default: 'out' })
  await expect(send(appId, left)).rejects.toMatchObject({ code: 'invalid_state' })
})

// spec: categories/delete
test('a category can be deleted only while no campaign that is scheduled, active or under way names it', async () => {
  const appId = newId()
  await make(appId, 'offers')
  const remove = () => platform.gateway.call(deleteCategory, { appId, categoryId: 'offers' })
  await draft(appId, { category: 'offers' })
  for (const status of ['scheduled', 'active', 'paused'] as const) {
    const campaignId = await platform.campaignIn(status, appId, { category: 'offers' })
    await expect(remove()).rejects.toMatchObject({ code: 'invalid_state' })
    if (status === 'paused') await platform.gateway.call(settleCampaigns, { campaignIds: [campaignId] })
    else await platform.gateway.call(cancelCampaign, { appId, campaignId })
  }
  const { id } = await notify(appId, { category: 'offers' })
  await expect(remove()).rejects.toMatchObject({ code: 'invalid_state' })
  await platform.gateway.call(settleCampaigns, { campaignIds: [id] })
  await remove()
  await expect(remove()).rejects.toMatchObject({ code: 'not_found' })
})

// spec: categories/one-tap
test('one tap finds a campaign’s category for 30 days after its end, none when locked, deleted or missing', async () => {
  const appId = newId()
  await make(appId, 'offers')
  const { id: campaignId } = await notify(appId, { category: 'offers' })
  const find = (asked = { appId, campaignId }) => platform.gateway.call(findLeavable, asked)
  expect(await find()).toEqual({ categoryId: 'offers' })
  expect(await find({ appId: newId(), campaignId })).toBeNull()
  expect(await find({ appId, campaignId: (await notify(appId, {})).id })).toBeNull()

  const change = (locked: boolean) =>
    platform.gateway.call(replaceCategory, { appId, categoryId: 'offers', category: { name: 'x', default: 'in', locked } })
  await change(true)
  expect(await find()).toBeNull()
  await change(false)
  await platform.gateway.call(settleCampaigns, { campaignIds: [campaignId] })
  const endAgo = (ago: string) =>
    sql`update campaigns set settled_at = now() - ${ago}::interval where id = ${campaignId}`.execute(platform.db)
  await endAgo('30 days -1 minute')
  expect(await find()).toEqual({ categoryId: 'offers' })
  await endAgo('30 days 1 minute')
  expect(await find()).toBeNull()
  await endAgo('1 day')
  await platform.gateway.call(deleteCategory, { appId, categoryId: 'offers' })
  expect(await find()).toBeNull()
})

// spec: administration/delete-app
test('the categories of a deleted app are deleted, and none is made any more', async () => {
  const appId = newId()
  await make(appId, 'offers')
  while (!(await platform.gateway.call(eraseCampaignsOfApp, { appId })).done);
  expect((await platform.gateway.call(listCategories, { appId })).categories).toEqual([])
  await expect(make(appId, 'news')).rejects.toMatchObject({ code: 'not_found' })
})
