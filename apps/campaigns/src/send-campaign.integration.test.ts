import { cancelCampaign, createCampaign, pickWinner, readSend, sendCampaign } from '@herald/contracts/calls/campaigns'
import type { CreateCampaign, Schedule } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { campaignStatuses, type CampaignStatus } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const draft = async (fields: Partial<CreateCampaign> = {}) =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign(fields) })).id
const send = (campaignId: string) => platform.gateway.call(sendCampaign, { appId, campaignId })
const cancel = (campaignId: string) => platform.gateway.call(cancelCampaign, { appId, campaignId })
const statusOf = async (id: string) => (await platform.rowOf(id)).status
const become = (ids: string[], status: CampaignStatus) =>
  platform.db.updateTable('campaigns').set({ status }).where('id', 'in', ids).execute()
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'allowed',
    (error: { code: string }) => error.code,
  )
const ahead = (milliseconds: number): Schedule => ({ type: 'at', at: new Date(Date.now() + milliseconds).toISOString() })
const day = 86_400_000

/** Scheduled far ahead, then due as the database says: `due_at` is an SQL expression, `position` counts from 1. */
async function scheduled(count: number, dueAt: string): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(await draft({ schedule: ahead(day) }))
  for (const id of ids) expect(await send(id)).toEqual({ status: 'scheduled' })
  await sql`
    update campaigns set due_at = ${sql.raw(dueAt)}, schedule = jsonb_build_object('type', 'at', 'at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    from unnest(${ids}::text[]) with ordinality as wanted(id, position)
    where campaigns.id = wanted.id`.execute(platform.db)
  return ids
}

test('a campaign with schedule now is sending, pointed at, and read frozen by audience: a segment, or everyone', async () => {
  const segment = { field: 'tags.plan', op: 'eq', value: 'pro' }
  const [some, all] = [await draft({ segment, name: 'Some' }), await draft()]
  for (const id of [some, all]) {
    expect(await send(id)).toEqual({ status: 'sending' })
    await until(() => platform.pointersAt(id) === 1, { what: 'the pointer', withinMs: 3_000 })
  }
  const read = await platform.audience.bus.call(readSend, { campaignId: some })
  expect(read).toMatchObject({ send: { name: 'Some', transactional: false, appId }, target: { kind: 'segment', segment } })
  expect((await platform.audience.bus.call(readSend, { campaignId: all }))?.target).toEqual({ kind: 'all' })
})

test('public send: allowed from draft and scheduled, refused with invalid_state from every other status, which stays', async () => {
  for (const status of campaignStatuses) {
    const id = await draft()
    await become([id], status)
    const isAllowed = status === 'draft' || status === 'scheduled'
    expect({ status, answer: await codeOf(send(id)) }).toEqual({ status, answer: isAllowed ? 'allowed' : 'invalid_state' })
    expect(await statusOf(id)).toBe(isAllowed ? 'sending' : status)
  }
})

test('public cancel: allowed from draft, scheduled and active, refused with invalid_state from every other status, which stays', async () => {
  for (const status of campaignStatuses) {
    const id = await draft()
    await become([id], status)
    const isAllowed = status === 'draft' || status === 'scheduled' || status === 'active'
    expect({ status, answer: await codeOf(cancel(id)) }).toEqual({ status, answer: isAllowed ? 'allowed' : 'invalid_state' })
    expect(await statusOf(id)).toBe(isAllowed ? 'cancelled' : status)
  }
})

test('another app’s campaign is not found, like one that does not exist', async () => {
  const id = await draft()
  for (const ids of [
    { appId: newId(), campaignId: id },
    { appId, campaignId: newId() },
  ]) {
    const { gateway } = platform
    expect(await codeOf(gateway.call(sendCampaign, ids))).toBe('not_found')
    expect(await codeOf(gateway.call(cancelCampaign, ids))).toBe('not_found')
    expect(await codeOf(gateway.call(pickWinner, { ...ids, variant: 'a' }))).toBe('not_found')
  }
  expect(await statusOf(id)).toBe('draft')
})

test('a saved segment is copied as it is at send, each time; a deleted one is not found and the draft stays', async () => {
  const segmentId = newId()
  const definition = { field: 'tags.plan', op: 'eq', value: 'pro' }
  platform.segments.set(segmentId, {})
  const id = await draft({ segmentId, schedule: ahead(day) })
  expect((await platform.rowOf(id)).target).toBeNull()

  platform.segments.delete(segmentId)
  expect(await codeOf(send(id))).toBe('not_found')
  expect(await statusOf(id)).toBe('draft')

  platform.segments.set(segmentId, {})
  await send(id)
  platform.segments.set(segmentId, definition)
  expect(await send(id)).toEqual({ status: 'scheduled' })
  platform.segments.delete(segmentId)
  expect((await platform.rowOf(id)).target).toEqual({ kind: 'segment', segment: definition })
})

test('a saved segment that does not compile any more is refused at its node, and the draft stays', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, {})
  const id = await draft({ segmentId })
  platform.segments.set(segmentId, { and: [{ field: 'shoeSize', op: 'eq', value: 46 }] })
  await expect(send(id)).rejects.toMatchObject({ code: 'invalid_segment', details: [{ path: expect.stringContaining('segment.and.0') }] })
  expect(await statusOf(id)).toBe('draft')
})

test('a campaign without content is refused with invalid_state', async () => {
  const id = await draft()
  await platform.db.updateTable('campaigns').set({ content: null }).where('id', '=', id).execute()
  expect(await codeOf(send(id))).toBe('invalid_state')
  expect(await statusOf(id)).toBe('draft')
})

test('what is not built yet is refused with a sentence, and the draft stays', async () => {
  const variant = (id: string) => ({ id, name: id, weight: 1, content: { _default: 'en', en: { title: 'A', body: id } } })
  const waiting = [
    await draft({ schedule: { type: 'user_timezone', localTime: '09:00' } }),
    await draft({ experiment: { sampleRate: 0.5, variants: [variant('a'), variant('b')] } }),
  ]
  for (const id of waiting) {
    await expect(send(id)).rejects.toMatchObject({ code: 'invalid_state', message: expect.stringContaining('not available yet') })
    expect(await statusOf(id)).toBe('draft')
  }
})

test('a winner is refused for what is no experiment, for one under way and for one not sent', async () => {
  const variant = (id: string) => ({ id, name: id, weight: 1, content: { _default: 'en', en: { title: 'A', body: id } } })
  const pick = (campaignId: string, id = 'a') => codeOf(platform.gateway.call(pickWinner, { appId, campaignId, variant: id }))
  expect(await pick(await draft())).toBe('not_an_experiment')
  const id = await draft({ experiment: { sampleRate: 0.5, variants: [variant('a'), variant('b')] } })
  expect(await pick(id)).toBe('invalid_state')
  await become([id], 'sending')
  expect(await pick(id)).toBe('still_sending')
  await become([id], 'sent')
  expect(await pick(id, 'c')).toBe('unknown_variant')
})

test('a time in the past sends now; one ahead is scheduled, waits, and fires once at its time with two processes', async () => {
  const passed = await draft({ schedule: ahead(-day) })
  expect(await send(passed)).toEqual({ status: 'sending' })

  const schedule = ahead(2_000)
  const id = await draft({ schedule })
  expect(await send(id)).toEqual({ status: 'scheduled' })
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toBeNull()
  await until(() => platform.pointersAt(id) > 0, { what: 'the start' })
  expect(Date.now()).toBeGreaterThanOrEqual(schedule.type === 'at' ? Date.parse(schedule.at) : Infinity)
  await until(async () => (await platform.rowOf(id)).due_at === null, { what: 'the take-over' })
  expect(platform.pointersAt(id)).toBe(1)
  expect(await platform.rowOf(id)).toMatchObject({ status: 'sending', pointer_no: 0 })
})

test('what fell due while nobody was there fires late, once each, shared by two processes', async () => {
  const ids = await scheduled(30, `now() - position * interval '1 day'`)
  await until(() => ids.every((id) => platform.pointersAt(id) > 0), { what: 'every start' })
  await until(async () => (await Promise.all(ids.map(platform.rowOf))).every(({ due_at }) => due_at === null), { what: 'the take-over' })
  expect(ids.map(platform.pointersAt)).toEqual(ids.map(() => 1))
})

test('a cancelled campaign never starts', async () => {
  const id = await draft({ schedule: ahead(1_500) })
  const after = await draft({ schedule: ahead(1_700) })
  for (const one of [id, after]) expect(await send(one)).toEqual({ status: 'scheduled' })
  await cancel(id)
  await until(() => platform.pointersAt(after) === 1, { what: 'the start of a later one' })
  expect(platform.pointersAt(id)).toBe(0)
  expect(await platform.rowOf(id)).toMatchObject({ status: 'cancelled', due_at: null })
})

test('200 races of a cancel against the start have one winner each', async () => {
  const ids = await scheduled(200, `now() + position * interval '10 milliseconds'`)
  await until(() => ids.some((id) => platform.pointersAt(id) > 0), { what: 'the first start' })
  // From the last to the first, while the sweeps go from the first to the last.
  const cancelled = new Map<string, string>()
  const backwards = ids.toReversed()
  for (let n = 0; n < backwards.length; n += 4) {
    await Promise.all(backwards.slice(n, n + 4).map(async (id) => cancelled.set(id, await codeOf(cancel(id)))))
  }
  await until(async () => (await Promise.all(ids.map(platform.rowOf))).every(({ due_at }) => due_at === null), { what: 'every end' })

  for (const id of ids) {
    const started = cancelled.get(id) === 'invalid_state'
    expect(cancelled.get(id)).toMatch(/^(allowed|invalid_state)$/)
    expect(await statusOf(id)).toBe(started ? 'sending' : 'cancelled')
    expect(platform.pointersAt(id)).toBe(started ? 1 : 0)
  }
  expect(new Set(cancelled.values()).size).toBe(2)
})

test('of two sends, a cancel and the start that meet, exactly one wins', async () => {
  const ids = await scheduled(60, 'now()')
  const asked = await Promise.all(
    ids.map(async (id) => ({ id, sends: [codeOf(send(id)), codeOf(send(id))], cancelled: (await codeOf(cancel(id))) === 'allowed' })),
  )
  await until(async () => (await Promise.all(ids.map(platform.rowOf))).every(({ due_at }) => due_at === null), { what: 'every end' })
  for (const { id, sends, cancelled } of asked) {
    const sent = (await Promise.all(sends)).filter((answer) => answer === 'allowed').length
    expect(sent).toBeLessThanOrEqual(cancelled ? 0 : 1)
    expect(await statusOf(id)).toBe(cancelled ? 'cancelled' : 'sending')
    expect(platform.pointersAt(id)).toBe(cancelled ? 0 : 1)
  }
})
