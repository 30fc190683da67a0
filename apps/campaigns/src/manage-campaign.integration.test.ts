import {
  createCampaign,
  createTemplate,
  deleteCampaign,
  duplicateCampaign,
  getCampaign,
  listCampaigns,
  readSend,
  replaceCampaign,
  sendCampaign,
  sendNotification,
  settleCampaigns,
} from '@herald/contracts/calls/campaigns'
import type { CreateCampaign } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { campaignStatuses } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import type { z } from 'zod'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign, givenContent, givenExperiment, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
const day = 86_400_000
const segment = { field: 'country', op: 'eq', value: 'DE' }
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const create = async (fields: Partial<CreateCampaign> = {}, app = appId) =>
  (await platform.gateway.call(createCampaign, { appId: app, idempotency: null, campaign: givenCampaign(fields) })).id
const notify = async (fields: Partial<SendNotification> = {}, app = appId) =>
  (await platform.gateway.call(sendNotification, { appId: app, idempotency: null, notification: givenNotification(fields) })).id
const send = (campaignId: string) => platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC' })
const get = (campaignId: string) => platform.gateway.call(getCampaign, { appId, campaignId })
const replace = (campaignId: string, fields: Partial<CreateCampaign>, app = appId) =>
  platform.gateway.call(replaceCampaign, { appId: app, campaignId, campaign: givenCampaign(fields) })
const remove = (campaignId: string, app = appId) => platform.gateway.call(deleteCampaign, { appId: app, campaignId })
const duplicate = (campaignId: string, app = appId) => platform.gateway.call(duplicateCampaign, { appId: app, campaignId })
type Query = Partial<Omit<z.output<typeof listCampaigns.request>, 'appId'>>
const list = (app: string, query: Query = {}) => platform.gateway.call(listCampaigns, { appId: app, limit: 100, ...query })

const overrides = { android: { direct_boot_ok: true, notification: { click_action: 'OPEN', sound: null } } }
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a draft is answered with every field; a field that is not set is null, empty or has its default', async () => {
  const id = await create({ name: 'Bare', ttl: 60 })
  expect(await get(id)).toEqual({
    id,
    name: 'Bare',
    status: 'draft',
    transactional: false,
    content: givenContent(),
    templateId: null,
    segment: null,
    segmentId: null,
    audience: { kind: 'everyone' },
    schedule: { type: 'now' },
    experiment: null,
    winner: null,
    silent: false,
    data: {},
    ttl: 60,
    collapseId: null,
    priority: 'high',
    presentation: null,
    overrides: null,
    category: null,
    inbox: false,
    sendRate: null,
    bypass: {},
    recurringOf: null,
    remainderOf: null,
    author: null,
    recallOf: null,
    test: false,
    failure: null,
    cancelling: false,
    nextAt: null,
    missedCount: 0,
    createdAt: isoTime,
    startedAt: null,
    settledAt: null,
  })
})

// spec: administration/campaign-read
test('a campaign shows when its send starts, that it has started, and that it has settled', async () => {
  const at = new Date(Date.now() + day).toISOString()
  const id = await create({ segment, schedule: { type: 'at', at } })
  await send(id)
  expect(await get(id)).toMatchObject({ status: 'scheduled', nextAt: at, segment, startedAt: null })
  await platform.db.updateTable('campaigns').set({ due_at: new Date() }).where('id', '=', id).execute()
  await until(() => platform.audience.rows.has(id), { what: 'audience has taken the send over' })
  expect(await get(id)).toMatchObject({ nextAt: null, startedAt: isoTime, settledAt: null })
  await platform.gateway.call(settleCampaigns, { campaignIds: [id] })
  expect(await get(id)).toMatchObject({ status: 'sent', settledAt: isoTime })
})

// spec: administration/campaign-audience
test('a campaign’s read says whom it goes to: everyone, a segment, or people, later only their number', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, segment)
  const audience = async (id: string) => (await get(id)).audience
  expect(await audience(await create())).toEqual({ kind: 'everyone' })
  expect(await audience(await create({ segment }))).toEqual({ kind: 'segment', segmentId: null, segment })
  const saved = await create({ segmentId })
  expect(await audience(saved)).toEqual({ kind: 'segment', segmentId, segment: null })
  await send(saved)
  expect(await audience(saved)).toEqual({ kind: 'segment', segmentId, segment })

  const names = Array.from({ length: 101 }, (_, n) => `customer-${n}`)
  const userIds = [newId()]
  const [many, one] = [await notify({ target: { externalIds: names } }), await notify({ target: { userIds } })]
  expect(await audience(many)).toEqual({ kind: 'people', by: 'externalIds', count: 101, ids: names.slice(0, 100) })
  expect(await audience(one)).toEqual({ kind: 'people', by: 'userIds', count: 1, ids: userIds })
  for (let times = 0; times < 2; times += 1) await platform.gateway.call(settleCampaigns, { campaignIds: [many] })
  expect(await audience(many)).toEqual({ kind: 'people', by: 'externalIds', count: 101, ids: null })
  expect((await list(appId, { transactional: true })).items.find(({ id }) => id === many)?.audience).toMatchObject({
    count: 101,
    ids: null,
  })
})

// spec: limits/lists
test('a list of campaigns is newest first, and its cursor goes on without a gap or a repeat', async () => {
  const app = newId()
  const made: string[] = []
  for (let n = 0; n < 7; n += 1) made.push(await create({ name: `Campaign ${n}` }, app))
  const [oldest = '', ...others] = made
  // All but the oldest get the same creation time, so they are ordered by id. The cursor still names one place in the list.
  const moment = new Date()
  await platform.db.updateTable('campaigns').set({ created_at: moment }).where('id', 'in', others).execute()
  await platform.db
    .updateTable('campaigns')
    .set({ created_at: new Date(moment.getTime() - 1) })
    .where('id', '=', oldest)
    .execute()

  const seen: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await list(app, { limit: 3, ...(cursor ? { cursor } : {}) })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor)
  expect(seen).toEqual([...others.toSorted().toReversed(), oldest])
  await expect(list(app, { cursor: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_body', details: [{ path: 'cursor' }] })
})

// spec: administration/campaign-list, limits/list-prefix
test('a list of campaigns filters by status, kind and a part of the name, in its own app alone', async () => {
  const app = newId()
  const [sale, spring] = [await create({ name: 'Sale of autumn' }, app), await platform.campaignIn('sent', app, { name: 'Spring 100%' })]
  const notification = await notify({}, app)
  const idsOf = async (query: Query, from = app) => (await list(from, query)).items.map(({ id }) => id).toSorted()
  expect(await idsOf({})).toEqual([sale, spring, notification].toSorted())
  expect(await idsOf({ status: 'draft' })).toEqual([sale])
  expect(await idsOf({ transactional: true })).toEqual([notification])
  expect(await idsOf({ transactional: false, status: 'sent' })).toEqual([spring])
  expect(await idsOf({ q: 'SALE' })).toEqual([sale])
  expect(await idsOf({ q: 'of AUT' })).toEqual([sale])
  expect(await idsOf({ q: '%' })).toEqual([spring])
  expect(await idsOf({ q: 'S%' })).toEqual([])
  expect(await idsOf({}, newId())).toEqual([])
})

// spec: administration/campaign-list
test('a list of campaigns is filtered by operator and kind of audience; a run has the operator of its recurrence', async () => {
  const app = newId()
  const made = (author: string | undefined, fields: Partial<CreateCampaign> = {}) =>
    platform.gateway.call(createCampaign, { appId: app, idempotency: null, campaign: givenCampaign(fields), author })
  const [ofAnn, ofBob] = [(await made('Ann')).id, (await made('Bob', { segment })).id]
  const ofBackend = (await made(undefined)).id
  const copy = (await platform.gateway.call(duplicateCampaign, { appId: app, campaignId: ofAnn, author: 'Bob' })).id
  const people = await notify({}, app)
  const toSegment = await notify({ target: { segment } }, app)
  const idsOf = async (query: Query) => (await list(app, query)).items.map(({ id }) => id).toSorted()

  expect(await idsOf({ author: 'Ann' })).toEqual([ofAnn])
  expect(await idsOf({ author: 'Bob' })).toEqual([ofBob, copy].toSorted())
  expect(await idsOf({ author: 'ann' })).toEqual([])
  expect(await idsOf({ audience: 'everyone' })).toEqual([ofAnn, ofBackend, copy].toSorted())
  expect(await idsOf({ audience: 'segment' })).toEqual([ofBob, toSegment].toSorted())
  expect(await idsOf({ audience: 'people' })).toEqual([people])
  expect(await idsOf({ audience: 'segment', author: 'Bob' })).toEqual([ofBob])
  expect((await list(app, { author: 'Bob' })).items.map(({ author }) => author)).toEqual(['Bob', 'Bob'])

  await platform.gateway.call(settleCampaigns, { campaignIds: [people] })
  expect(await idsOf({ audience: 'people' })).toEqual([people])
  for (const { audience } of (await list(app)).items)
    expect((await list(app, { audience: audience.kind })).items.map((one) => one.audience.kind)).toContain(audience.kind)
})

// spec: limits/list-bytes
test('a page of campaigns ends at 512 KiB, and the next page goes on from there', async () => {
  const app = newId()
  const locales = Array.from({ length: 25 }, (_, n) => `en-${String.fromCharCode(65 + n)}A`)
  const content = {
    _default: 'en-AA',
    ...Object.fromEntries(locales.map((locale) => [locale, { title: 'Long', body: 'x'.repeat(2_000) }])),
  }
  for (let n = 0; n < 13; n += 1) await create({ content }, app)
  const first = await list(app)
  expect(Buffer.byteLength(JSON.stringify(first.items))).toBeLessThanOrEqual(512 * 1024 + 1_000)
  expect(first.items.length).toBeLessThan(13)
  const rest = await list(app, { cursor: first.nextCursor ?? '' })
  expect(first.items.length + rest.items.length).toBe(13)
})

// spec: campaigns/replace-draft
test('replacing a draft removes left-out fields; unknown templates or segments and times too far ahead are refused', async () => {
  const id = await create({
    name: 'Before',
    segment,
    experiment: givenExperiment(),
    data: { source: 'before' },
    overrides,
    collapseId: 'news',
  })
  const before = await get(id)
  expect(before.overrides).toEqual(overrides)
  const segmentId = newId()
  platform.segments.set(segmentId, segment)
  const after = await replace(id, { name: 'After', segmentId, schedule: { type: 'user_timezone', localTime: '09:00' } })
  expect(after).toEqual({
    ...before,
    name: 'After',
    segment: null,
    segmentId,
    audience: { kind: 'segment', segmentId, segment: null },
    schedule: { type: 'user_timezone', localTime: '09:00' },
    experiment: null,
    data: {},
    overrides: null,
    collapseId: null,
  })
  expect(await get(id)).toEqual(after)

  await expect(replace(id, { templateId: newId() })).rejects.toMatchObject({ code: 'not_found', details: [{ path: 'templateId' }] })
  await expect(replace(id, { segmentId: newId() })).rejects.toMatchObject({ code: 'not_found', details: [{ path: 'segmentId' }] })
  const tooFar = new Date(Date.now() + 366 * day).toISOString()
  await expect(replace(id, { schedule: { type: 'at', at: tooFar } })).rejects.toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'schedule.at' }],
  })
  expect(await get(id)).toEqual(after)
})

// spec: campaigns/replace-draft
test('only a draft can be replaced or deleted; in any other status the request is refused and the campaign stays', async () => {
  for (const status of campaignStatuses.filter((one) => one !== 'draft')) {
    const id = await platform.campaignIn(status, appId)
    await expect(replace(id, { name: 'Other' })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(remove(id)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await get(id)).toMatchObject({ status, name: 'Autumn' })
  }
  const id = await create()
  expect(await remove(id)).toEqual({})
  await expect(get(id)).rejects.toMatchObject({ code: 'not_found' })
})

test('reading, replacing, deleting or duplicating an unknown campaign or another app’s is answered not_found', async () => {
  const id = await create()
  for (const [campaignId, app] of [
    [id, newId()],
    [newId(), appId],
  ] as const)
    for (const asked of [
      platform.gateway.call(getCampaign, { appId: app, campaignId }),
      replace(campaignId, {}, app),
      remove(campaignId, app),
      duplicate(campaignId, app),
    ])
      await expect(asked).rejects.toMatchObject({ code: 'not_found' })
  expect((await get(id)).status).toBe('draft')
})

test('when a draft is sent and deleted at the same time, exactly one of the two succeeds', async () => {
  for (let n = 0; n < 50; n += 1) {
    const id = await create()
    const [sent, removed] = await Promise.allSettled([send(id), remove(id)])
    expect([sent.status, removed.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    const row = await platform.db.selectFrom('campaigns').select('status').where('id', '=', id).executeTakeFirst()
    expect(row?.status).toBe(sent.status === 'fulfilled' ? 'sending' : undefined)
  }
})

test('when a draft is sent and replaced at once, one body or nothing is sent, never a mixture', async () => {
  const [segmentId, ends] = [newId(), new Set<string>()]
  platform.segments.set(segmentId, segment)
  for (let n = 0; n < 100; n += 1) {
    const id = await create({ segmentId, content: givenContent('Saved.') })
    const [sent] = await Promise.allSettled([send(id), replace(id, { segment: {}, content: givenContent('Inline.') })])
    const { status, target, content } = await platform.rowOf(id)
    expect(status).toBe(sent.status === 'fulfilled' ? 'sending' : 'draft')
    const isInline = JSON.stringify(content).includes('Inline.')
    expect(target).toEqual({ kind: 'segment', segment: isInline ? {} : segment })
    ends.add(`${status} ${isInline ? 'inline' : 'saved'}`)
  }
  expect([...ends].every((end) => ['sending saved', 'sending inline', 'draft inline'].includes(end))).toBe(true)
})

// spec: campaigns/duplicate
test('a scheduled campaign is duplicated as a draft, and its saved segment is copied anew when that is sent', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, segment)
  const template = { name: 'Duplicated', content: givenContent(), data: { source: 'template' }, overrides }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template })
  const schedule = { type: 'at', at: new Date(Date.now() + day).toISOString() } as const
  const id = await create({ segmentId, templateId, schedule, experiment: givenExperiment(), ttl: 60 })
  await send(id)
  const original = await get(id)
  expect(original.overrides).toEqual(overrides)
  const copy = await duplicate(id)
  const audience = { kind: 'segment', segmentId, segment: null }
  expect(copy).toEqual({ ...original, id: copy.id, status: 'draft', segment: null, audience, nextAt: null, createdAt: isoTime })
  expect(copy.id).not.toBe(id)

  platform.segments.set(segmentId, {})
  await replace(copy.id, { segmentId })
  await send(copy.id)
  expect((await platform.audience.bus.call(readSend, { campaignId: copy.id }))?.target).toEqual({ kind: 'segment', segment: {} })
  expect((await get(id)).segment).toEqual(segment)
})

// spec: campaigns/duplicate
test('a notification to a segment or everyone can be duplicated as a campaign; one that names people cannot', async () => {
  for (const target of [{ segment }, { all: true }] as const) {
    const copy = await duplicate(await notify({ target }))
    expect(copy).toMatchObject({
      status: 'draft',
      transactional: false,
      schedule: { type: 'now' },
      segment: 'segment' in target ? segment : null,
    })
  }
  for (const target of [{ externalIds: ['ada'] }, { userIds: [newId()] }, { subscriptionIds: [newId()] }]) {
    await expect(duplicate(await notify({ target }))).rejects.toMatchObject({ code: 'invalid_state' })
  }
})
