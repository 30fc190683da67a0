import {
  createCampaign,
  createTemplate,
  deleteTemplate,
  listTemplates,
  readTemplate,
  replaceTemplate,
  sendCampaign,
  sendNotification,
} from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import type { SaveTemplate } from '@herald/contracts/template'
import { beforeAll, expect, test } from 'vitest'
import { givenContent, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const template = (name: string, fields: Partial<SaveTemplate> = {}): SaveTemplate => ({ name, content: givenContent(), ...fields })
const create = (saved: SaveTemplate, app = appId) => platform.gateway.call(createTemplate, { appId: app, template: saved })
const read = (templateId: string, app = appId) => platform.gateway.call(readTemplate, { appId: app, templateId })
const replace = (templateId: string, saved: SaveTemplate) => platform.gateway.call(replaceTemplate, { appId, templateId, template: saved })
const list = (app: string, query: { limit?: number; cursor?: string; q?: string } = {}) =>
  platform.gateway.call(listTemplates, { appId: app, limit: 100, ...query })

// spec: content/template-fields
test('a template is answered with every field, and with null for a field that is not set', async () => {
  const made = await create(template('Bare'))
  expect(made).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'Bare',
    description: null,
    content: givenContent(),
    data: null,
    presentation: null,
    overrides: null,
    sendRate: null,
    category: null,
    ttl: null,
    collapseId: null,
    priority: null,
    silent: null,
    useCount: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: made.createdAt,
  })
  expect(await read(made.id)).toEqual(made)
})

// spec: content/template-name
test('the name of a template must be unique within the app, when it is created and when it is replaced', async () => {
  const [first, second] = [await create(template('Once')), await create(template('Twice'))]
  await expect(create(template('Once'))).rejects.toMatchObject({ code: 'duplicate_name' })
  await expect(replace(second.id, template('Once'))).rejects.toMatchObject({ code: 'duplicate_name' })
  expect((await replace(first.id, template('Once', { ttl: 1 }))).ttl).toBe(1)
  expect((await create(template('Once'), newId())).name).toBe('Once')

  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => create(template('Race'))))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

// spec: content/template-replace
test('replacing a template removes a field that is left out, keeps id and createdAt, and raises updatedAt', async () => {
  const full = template('Full', {
    description: 'All of it',
    data: { source: 'template' },
    presentation: { sound: 'bell', badge: 0 },
    overrides: { ios: { aps: { category: 'ORDER' } } },
    ttl: 0,
    collapseId: 'news',
    priority: 'normal',
    silent: false,
  })
  const made = await create(full)
  expect(made).toMatchObject(full)
  await platform.db
    .updateTable('templates')
    .set({ updated_at: new Date(Date.parse(made.updatedAt) - 1_000) })
    .where('id', '=', made.id)
    .execute()
  const replaced = await replace(made.id, template('Less'))
  expect(replaced).toEqual({
    ...made,
    name: 'Less',
    description: null,
    data: null,
    presentation: null,
    overrides: null,
    ttl: null,
    collapseId: null,
    priority: null,
    silent: null,
    updatedAt: expect.any(String),
  })
  expect(replaced.updatedAt > made.updatedAt).toBe(true)
})

// spec: limits/foreign-ids
test('reading an unknown or another app’s template, replacing an unknown one or deleting another app’s is answered not_found', async () => {
  const { id } = await create(template('Mine'))
  const notFound = { code: 'not_found' }
  await expect(read(newId())).rejects.toMatchObject(notFound)
  await expect(read(id, newId())).rejects.toMatchObject(notFound)
  await expect(replace(newId(), template('Nowhere'))).rejects.toMatchObject(notFound)
  await expect(platform.gateway.call(deleteTemplate, { appId: newId(), templateId: id })).rejects.toMatchObject(notFound)
  expect((await read(id)).name).toBe('Mine')
})

// spec: content/template-use-count, content/template-delete
test('useCount counts campaigns and notifications that used the template; a draft keeps its copy when it is deleted', async () => {
  const { id: templateId } = await create(template('Used', { content: givenContent('Copied.') }))
  await platform.gateway.call(sendNotification, { appId, idempotency: null, notification: { target: { all: true }, templateId } })
  const campaign = { name: 'Uses it', schedule: { type: 'now' as const }, templateId }
  const { id: campaignId } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign })
  expect((await read(templateId)).useCount).toBe(2)
  expect((await list(appId, { q: 'used' })).items[0]?.useCount).toBe(2)

  expect(await platform.gateway.call(deleteTemplate, { appId, templateId })).toEqual({})
  await expect(read(templateId)).rejects.toMatchObject({ code: 'not_found' })
  expect(await platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC' })).toMatchObject({ status: 'sending' })
  expect((await platform.rowOf(campaignId)).content).toEqual(givenContent('Copied.'))
})

// spec: content/template-list, limits/lists, limits/list-prefix
test('a list of templates has no gaps or repeats between pages, and filters by a part of the name', async () => {
  const app = newId()
  const names: string[] = []
  for (let n = 0; n < 7; n += 1) names.push((await create(template(`${n % 2 === 0 ? 'Even' : 'odd'} ${n}`), app)).name)
  // All templates get the same creation time, so they are ordered by id. The cursor still names one place in the list.
  await platform.db.updateTable('templates').set({ created_at: new Date() }).where('app_id', '=', app).execute()

  const seen: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await list(app, { limit: 3, ...(cursor ? { cursor } : {}) })
    expect(page.items.length).toBeLessThanOrEqual(3)
    seen.push(...page.items.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor)
  expect(seen.toSorted()).toEqual(names.toSorted())

  expect((await list(app, { q: 'EVEN' })).items).toHaveLength(4)
  expect((await list(app, { q: 'VEN 2' })).items).toHaveLength(1)
  expect((await list(app, { q: '%' })).items).toEqual([])
  await expect(list(app, { cursor: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_body', details: [{ path: 'cursor' }] })
})

test('the list has a newer template before an older one', async () => {
  const app = newId()
  const older = await create(template('Older'), app)
  await platform.db
    .updateTable('templates')
    .set({ created_at: new Date(Date.now() - 1_000) })
    .where('id', '=', older.id)
    .execute()
  await create(template('Newer'), app)
  expect((await list(app)).items.map(({ name }) => name)).toEqual(['Newer', 'Older'])
})

// spec: limits/list-bytes
test('a page of templates ends at 512 KiB, and the next page goes on from there', async () => {
  const app = newId()
  const locales = [
    'en',
    'de',
    'fr',
    'es',
    'it',
    'nl',
    'pt',
    'sv',
    'da',
    'fi',
    'pl',
    'cs',
    'sk',
    'hu',
    'ro',
    'bg',
    'el',
    'tr',
    'uk',
    'ru',
    'ja',
    'ko',
    'vi',
    'th',
    'id',
  ]
  const content = { _default: 'en', ...Object.fromEntries(locales.map((locale) => [locale, { title: 'Long', body: 'x'.repeat(2_000) }])) }
  for (let n = 0; n < 13; n += 1) await create(template(`Large ${n}`, { content }), app)

  const first = await list(app)
  expect(Buffer.byteLength(JSON.stringify(first.items))).toBeLessThanOrEqual(512 * 1024 + 1_000)
  expect(first.items.length).toBeLessThan(13)
  const rest = await list(app, { cursor: first.nextCursor ?? '' })
  expect(first.items.length + rest.items.length).toBe(13)
  expect(rest.nextCursor).toBeNull()
})

// spec: content/too-large-at-create
test('a template whose content is too large for a platform is refused, and the error names the locale', async () => {
  const address = (letter: string) => `https://example.com/${letter.repeat(2_000)}`
  const content = { _default: 'en', en: { title: 'A', body: 'B', url: address('x'), image: address('y') } }
  await expect(create(template('Huge', { content }))).rejects.toMatchObject({
    code: 'invalid_body',
    details: expect.arrayContaining([expect.objectContaining({ path: 'content.en' })]),
  })
})
