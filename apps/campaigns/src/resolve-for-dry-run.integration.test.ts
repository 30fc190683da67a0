import { createCampaign, createTemplate, readSend, resolveSend, sendCampaign, sendNotification } from '@herald/contracts/calls/campaigns'
import type { CreateCampaign } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign, givenContent, givenExperiment, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

type Tried = { notification?: SendNotification; campaign?: CreateCampaign; campaignId?: string }
const resolve = (tried: Tried) => platform.gateway.call(resolveSend, { appId, defaultTimezone: 'Europe/Vienna', ...tried })
const create = async (campaign: CreateCampaign): Promise<string> =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign })).id
const send = (campaignId: string) => platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'Europe/Vienna' })
const withoutId = ({ campaignId: _id, ...rest }: { campaignId: string }) => rest
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

// spec: sending/dry-run
test('a dry run of a notification gives the send that it becomes when accepted, its template filled in', async () => {
  const saved = { name: `Shipped ${newId()}`, content: givenContent('Shipped'), ttl: 60, data: { kind: 'order' } }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template: saved })
  const notification: SendNotification = { target: { all: true }, templateId, priority: 'normal', bypass: { quietHours: true } }

  const resolved = await resolve({ notification })
  const { id } = await platform.gateway.call(sendNotification, { appId, idempotency: null, notification })
  const accepted = await platform.audience.bus.call(readSend, { campaignId: id })

  expect(resolved.startsAt).toBeNull()
  expect(resolved.target).toEqual(accepted?.target)
  expect(accepted && withoutId(accepted.send)).toEqual(withoutId(resolved.send))
  expect(resolved.send).toMatchObject({ ttl: 60, priority: 'normal', content: saved.content, data: saved.data })
})

// spec: sending/dry-run
test('a dry run of a campaign or stored draft gives the send that it becomes, and writes no row', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, { field: 'tags.plan', op: 'eq', value: 'pro' })
  const campaign = givenCampaign({ segmentId, experiment: givenExperiment(0.3), collapseId: 'sale' })
  const count = async () => Number((await sql<{ n: string }>`select count(*) as n from campaigns`.execute(platform.db)).rows[0]?.n)

  const before = await count()
  const tried = await resolve({ campaign })
  expect(await count()).toBe(before)
  const id = await create(campaign)
  const stored = await resolve({ campaignId: id })
  expect(await count()).toBe(before + 1)
  await send(id)
  const sent = await platform.audience.bus.call(readSend, { campaignId: id })

  expect({ ...stored, flowNo: 0 }).toEqual({ ...sent, startsAt: null, revision: 0 })
  expect({ send: withoutId(tried.send), target: tried.target }).toEqual(sent && { send: withoutId(sent.send), target: sent.target })
  // A campaign that was sent is tried as if it were sent again.
  expect(await resolve({ campaignId: id })).toEqual(stored)
})

// spec: sending/dry-run, campaigns/at
test('a dry run says when a schedule begins: at its time, first local time or next occurrence', async () => {
  platform.audience.zones = ['Asia/Tokyo', 'America/New_York']
  const at = hoursFromNow(5)
  const begins = async (schedule: CreateCampaign['schedule']) => {
    const campaign = givenCampaign({ schedule })
    const tried = await resolve({ campaign })
    const id = await create(campaign)
    const draft = await resolve({ campaignId: id })
    await send(id)
    const due = (await platform.rowOf(id))?.due_at?.toISOString()
    const waiting = await resolve({ campaignId: id })
    expect([tried.startsAt, draft.startsAt, waiting.startsAt]).toEqual([due, due, due])
    return tried
  }
  expect((await begins({ type: 'at', at })).startsAt).toBe(at)
  const local = await begins({ type: 'user_timezone', localTime: '09:00' })
  expect(local.send.userTimezone).toMatchObject({ localTime: '09:00' })
  await begins({ type: 'recurring', every: 'day', localTime: '09:00', timezone: 'Asia/Tokyo' })
  expect((await resolve({ campaign: givenCampaign({ schedule: { type: 'at', at: hoursFromNow(-1) } }) })).startsAt).toBeNull()
})

// spec: sending/dry-run
test('a dry run refuses unknown templates, segments and campaigns, times too far ahead, invalid segments and too large contents', async () => {
  const refusal = (tried: Tried) =>
    resolve(tried).then(
      () => 'resolved',
      (error: { code: string; details?: { path: string }[] }) => [error.code, ...(error.details ?? []).map(({ path }) => path)].join(' '),
    )
  const unknown = newId()
  expect(await refusal({ notification: givenNotification({ templateId: unknown }) })).toBe('not_found templateId')
  expect(await refusal({ notification: givenNotification({ target: { segmentId: unknown } }) })).toBe('not_found target.segmentId')
  expect(await refusal({ campaign: givenCampaign({ segmentId: unknown }) })).toBe('not_found segmentId')
  expect(await refusal({ campaignId: unknown })).toBe('not_found')
  expect(await refusal({ campaign: givenCampaign({ schedule: { type: 'at', at: hoursFromNow(24 * 366) } }) })).toBe(
    'invalid_body schedule.at',
  )
  const segmentId = newId()
  platform.segments.set(segmentId, { field: 'no such field', op: 'eq', value: 1 })
  expect(await refusal({ notification: givenNotification({ target: { segmentId } }) })).toBe('invalid_segment segment.field')
  const large = {
    _default: 'en',
    en: { title: 'T', body: 'B', url: `https://shop.example/${'x'.repeat(1_900)}`, image: `https://shop.example/${'y'.repeat(1_900)}` },
  }
  const data = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, 'z'.repeat(1_000)]))
  expect(await refusal({ notification: givenNotification({ content: large, data }) })).toMatch(/^invalid_body content\.en/)
  const foreign = await platform.gateway.call(createCampaign, { appId: newId(), idempotency: null, campaign: givenCampaign() })
  expect(await refusal({ campaignId: foreign.id })).toBe('not_found')
})
