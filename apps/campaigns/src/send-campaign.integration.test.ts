import {
  cancelCampaign,
  createCampaign,
  duplicateCampaign,
  getCampaign,
  pickWinner,
  readSend,
  replaceCampaign,
  resolveSend,
  sendCampaign,
  unsendCampaign,
} from '@herald/contracts/calls/campaigns'
import type { CreateCampaign, Schedule } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { nextInstantOf } from '@herald/contracts/local-time'
import { campaignStatuses } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { insertCampaigns } from './store/new-campaigns.ts'
import { givenCampaign, givenContent, givenExperiment, givenPlatform, givenStored, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const draft = async (fields: Partial<CreateCampaign> = {}) =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign(fields) })).id
const send = (campaignId: string) => platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC' })
const sendIn = (campaignId: string, delaySeconds: number) =>
  platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC', delaySeconds })
const unsend = (campaignId: string) => platform.gateway.call(unsendCampaign, { appId, campaignId })
const cancel = (campaignId: string) => platform.gateway.call(cancelCampaign, { appId, campaignId })
const statusOf = async (id: string) => (await platform.rowOf(id)).status
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'allowed',
    (error: { code: string }) => error.code,
  )
const ahead = (milliseconds: number): Schedule => ({ type: 'at', at: new Date(Date.now() + milliseconds).toISOString() })
const day = 86_400_000

/** Schedules campaigns for tomorrow and then makes them due at `dueAt`, an SQL expression in which `position` counts the campaigns from 1. */
async function scheduled(count: number, dueAt: string): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(await draft({ schedule: ahead(day) }))
  for (const id of ids) expect(await send(id)).toMatchObject({ status: 'scheduled' })
  await sql`
    update campaigns set due_at = ${sql.raw(dueAt)}, schedule = jsonb_build_object('type', 'at', 'at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    from unnest(${ids}::text[]) with ordinality as wanted(id, position)
    where campaigns.id = wanted.id`.execute(platform.db)
  return ids
}

// spec: campaigns/send, campaigns/audience
test('a campaign with schedule now starts when sent: audience gets a pointer and reads the frozen send', async () => {
  const segment = { field: 'tags.plan', op: 'eq', value: 'pro' }
  const [some, all] = [await draft({ segment, name: 'Some' }), await draft()]
  for (const id of [some, all]) {
    expect(await send(id)).toMatchObject({ status: 'sending' })
    await until(() => platform.pointersAt(id) === 1, { what: 'the pointer' })
  }
  const read = await platform.audience.bus.call(readSend, { campaignId: some })
  expect(read).toMatchObject({ send: { name: 'Some', transactional: false, appId }, target: { kind: 'segment', segment } })
  expect((await platform.audience.bus.call(readSend, { campaignId: all }))?.target).toEqual({ kind: 'all' })
})

// spec: campaigns/send-from
test('an app’s backend can send a draft or a scheduled campaign; any other keeps its status and is answered invalid_state', async () => {
  for (const status of campaignStatuses) {
    const id = await platform.campaignIn(status, appId)
    const isAllowed = status === 'draft' || status === 'scheduled'
    expect({ status, answer: await codeOf(send(id)) }).toEqual({ status, answer: isAllowed ? 'allowed' : 'invalid_state' })
    expect(await statusOf(id)).toBe(status === 'draft' ? 'sending' : status)
  }
})

// spec: campaigns/cancel
test('a backend can cancel a draft, scheduled or active campaign; any other keeps its status with invalid_state', async () => {
  for (const status of campaignStatuses) {
    const id = await platform.campaignIn(status, appId)
    const isAllowed = status === 'draft' || status === 'scheduled' || status === 'active'
    expect({ status, answer: await codeOf(cancel(id)) }).toEqual({ status, answer: isAllowed ? 'allowed' : 'invalid_state' })
    expect(await statusOf(id)).toBe(isAllowed ? 'cancelled' : status)
  }
})

// spec: limits/foreign-ids
test('a send, cancel or winner of an unknown or another app’s campaign is not_found', async () => {
  const id = await draft()
  for (const ids of [
    { appId: newId(), campaignId: id },
    { appId, campaignId: newId() },
  ]) {
    const { gateway } = platform
    expect(await codeOf(gateway.call(sendCampaign, { ...ids, defaultTimezone: 'UTC' }))).toBe('not_found')
    expect(await codeOf(gateway.call(cancelCampaign, ids))).toBe('not_found')
    expect(await codeOf(gateway.call(unsendCampaign, ids))).toBe('not_found')
    expect(await codeOf(gateway.call(pickWinner, { ...ids, variant: 'a', by: null }))).toBe('not_found')
  }
  expect(await statusOf(id)).toBe('draft')
})

// spec: campaigns/segment-copied
test('each send copies the saved segment; when it was deleted the send is refused and the draft stays', async () => {
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
  expect(await send(id)).toMatchObject({ status: 'scheduled' })
  platform.segments.delete(segmentId)
  expect((await platform.rowOf(id)).target).toEqual({ kind: 'segment', segment: definition })
})

// spec: segments/saved-stale
test('a send with an invalid saved segment is refused with the wrong condition’s name, and the draft stays', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, {})
  const id = await draft({ segmentId })
  platform.segments.set(segmentId, { and: [{ field: 'shoeSize', op: 'eq', value: 46 }] })
  await expect(send(id)).rejects.toMatchObject({ code: 'invalid_segment', details: [{ path: expect.stringContaining('segment.and.0') }] })
  expect(await statusOf(id)).toBe('draft')
})

// spec: campaigns/send-without-content
test('sending a campaign without content is refused with invalid_state', async () => {
  const id = await draft()
  await platform.db.updateTable('campaigns').set({ content: null }).where('id', '=', id).execute()
  expect(await codeOf(send(id))).toBe('invalid_state')
  expect(await statusOf(id)).toBe('draft')
})

// spec: campaigns/user-timezone, campaigns/send
test('a send at local times starts in the first zone of the users or the default, with the request’s moment', async () => {
  const localTime = '12:00'
  const id = await draft({ schedule: { type: 'user_timezone', localTime } })
  platform.audience.zones = ['Asia/Tokyo', 'America/New_York', 'Nowhere/Any-More']
  const asked = Date.now()
  expect(await send(id)).toMatchObject({ status: 'scheduled' })
  const answered = Date.now()

  const { due_at, local_times_after: after } = await platform.rowOf(id)
  if (!after) throw new Error('the moment of the send was not kept')
  expect(after.getTime()).toBeGreaterThanOrEqual(asked - 1)
  expect(after.getTime()).toBeLessThanOrEqual(answered + 1)
  const firsts = ['Asia/Tokyo', 'America/New_York', 'UTC'].map((zone) => nextInstantOf(localTime, zone, after).getTime())
  expect(due_at?.getTime()).toBe(Math.min(...firsts))
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toBeNull()

  await platform.db.updateTable('campaigns').set({ due_at: new Date() }).where('id', '=', id).execute()
  await until(() => platform.pointersAt(id) === 1, { what: 'the start' })
  const read = await platform.audience.bus.call(readSend, { campaignId: id })
  expect(read?.send.userTimezone).toEqual({ localTime, after: after.toISOString() })
  platform.audience.zones = []
})

// spec: campaigns/user-timezone-date
test('a dated send begins at once a little late, tells audience date and limit, and a copy keeps both', async () => {
  platform.audience.zones = []
  const earlier = new Date(Date.now() - 30 * 60_000).toISOString()
  const moment = { localTime: earlier.slice(11, 16), date: earlier.slice(0, 10), lateMinutes: 90 }
  const id = await draft({ schedule: { type: 'user_timezone', ...moment } })
  await send(id)
  await until(() => platform.pointersAt(id) === 1, { what: 'the start' })
  const read = await platform.audience.bus.call(readSend, { campaignId: id })
  expect(read?.send.userTimezone).toEqual({ ...moment, after: (await platform.rowOf(id)).local_times_after?.toISOString() })

  const copy = await platform.gateway.call(duplicateCampaign, { appId, campaignId: id })
  expect((await platform.rowOf(copy.id)).schedule).toEqual({ type: 'user_timezone', ...moment })
})

// spec: campaigns/user-timezone-passed
test('a draft whose date has passed in every zone on earth is refused when sent, and stays a draft', async () => {
  const id = await draft({
    schedule: { type: 'user_timezone', localTime: '09:00', date: new Date(Date.now() + day).toISOString().slice(0, 10) },
  })
  await sql`update campaigns set schedule = schedule || '{"date": "2026-01-01"}' where id = ${id}`.execute(platform.db)
  expect(await codeOf(send(id))).toBe('invalid_state')
  expect(await statusOf(id)).toBe('draft')
})

test('a send at each user’s local time can be sent again or cancelled before its first wave', async () => {
  const id = await draft({ schedule: { type: 'user_timezone', localTime: '12:00' } })
  await send(id)
  const first = (await platform.rowOf(id)).local_times_after
  await send(id)
  expect((await platform.rowOf(id)).local_times_after?.getTime()).toBeGreaterThan(first?.getTime() ?? Infinity)
  expect(await cancel(id)).toEqual({ status: 'cancelled' })
})

// spec: campaigns/send-experiment
test('an experiment can be sent with any schedule, and audience reads its variants and the campaign’s content', async () => {
  const experiment = givenExperiment(0.2)
  const now = await draft({ experiment })
  expect(await send(now)).toMatchObject({ status: 'sending' })
  const read = await platform.audience.bus.call(readSend, { campaignId: now })
  expect(read?.send.content).toEqual(givenContent())
  expect(read?.send.experiment).toEqual({
    sampleRate: 0.2,
    variants: experiment.variants.map(({ id, weight, content }) => ({ id, weight, content })),
  })
  expect(await send(await draft({ experiment, schedule: ahead(day) }))).toMatchObject({ status: 'scheduled' })
  expect(await send(await draft({ experiment, schedule: { type: 'user_timezone', localTime: '09:00' } }))).toMatchObject({
    status: 'scheduled',
  })
  const daily = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'UTC' } as const
  expect(await send(await draft({ experiment, schedule: daily }))).toMatchObject({ status: 'active' })
})

test('audience reads null for a plain campaign’s experiment, remainder and users’ local time', async () => {
  const id = await draft()
  await send(id)
  const read = await platform.audience.bus.call(readSend, { campaignId: id })
  expect(read?.send).toMatchObject({ experiment: null, remainder: null, userTimezone: null })
})

// spec: campaigns/at
test('a past campaign is sent now; a later one starts once, not earlier, with two instances running', async () => {
  const passed = await draft({ schedule: ahead(-day) })
  expect(await send(passed)).toMatchObject({ status: 'sending' })

  const schedule = ahead(2_000)
  const id = await draft({ schedule })
  expect(await send(id)).toMatchObject({ status: 'scheduled' })
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toBeNull()
  await until(() => platform.pointersAt(id) > 0, { what: 'the start' })
  expect(Date.now()).toBeGreaterThanOrEqual(schedule.type === 'at' ? Date.parse(schedule.at) : Infinity)
  await until(async () => (await platform.rowOf(id)).due_at === null, { what: 'the take-over' })
  expect(platform.pointersAt(id)).toBe(1)
  expect(await platform.rowOf(id)).toMatchObject({ status: 'sending', pointer_no: 1 })
})

// spec: campaigns/at-late
test('campaigns whose time came hours ago start late, each once, with two instances of the service at work', async () => {
  const before = await platform.measured('herald_scheduler_lag_seconds_count')
  const ids = await scheduled(30, `now() - position * interval '3 hours'`)
  await until(() => ids.every((id) => platform.pointersAt(id) > 0), { what: 'every start' })
  await until(async () => (await Promise.all(ids.map(platform.rowOf))).every(({ due_at }) => due_at === null), { what: 'the take-over' })
  expect(ids.map(platform.pointersAt)).toEqual(ids.map(() => 1))
  expect(await platform.measured('herald_scheduler_lag_seconds_count')).toBe(before + 30)
  expect(await platform.measured('herald_scheduler_lag_seconds_bucket{le="300"}')).toBeLessThanOrEqual(before)
})

test('a scheduled campaign that is cancelled does not start when its time comes', async () => {
  const id = await draft({ schedule: ahead(1_500) })
  const after = await draft({ schedule: ahead(1_700) })
  for (const one of [id, after]) expect(await send(one)).toMatchObject({ status: 'scheduled' })
  await cancel(id)
  await until(() => platform.pointersAt(after) === 1, { what: 'the start of a later one' })
  expect(platform.pointersAt(id)).toBe(0)
  expect(await platform.rowOf(id)).toMatchObject({ status: 'cancelled', due_at: null })
})

// spec: campaigns/delay
test('a delayed campaign goes out after the delay, not before; its schedule and duplicate still say now', async () => {
  const id = await draft()
  const asked = Date.now()
  const { status, nextAt } = await sendIn(id, 2)
  expect(status).toBe('scheduled')
  expect(Date.parse(nextAt ?? '')).toBeGreaterThanOrEqual(asked + 1_999)
  expect(await platform.gateway.call(getCampaign, { appId, campaignId: id })).toMatchObject({ status, nextAt, schedule: { type: 'now' } })
  expect(await platform.gateway.call(duplicateCampaign, { appId, campaignId: id })).toMatchObject({
    status: 'draft',
    schedule: { type: 'now' },
    nextAt: null,
  })
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toBeNull()

  await until(() => platform.pointersAt(id) > 0, { what: 'the start' })
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(nextAt ?? ''))
  await until(async () => (await platform.rowOf(id)).due_at === null, { what: 'the take-over' })
  expect(platform.pointersAt(id)).toBe(1)
  expect(await codeOf(unsend(id))).toBe('invalid_state')
})

// spec: campaigns/delay
test('a delay is ignored by a campaign with a later time, local times or a recurrence', async () => {
  const at = ahead(day)
  expect(await sendIn(await draft({ schedule: at }), 60)).toEqual({ status: 'scheduled', nextAt: at.type === 'at' ? at.at : '' })
  for (const schedule of [
    { type: 'user_timezone', localTime: '09:00' },
    { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'UTC' },
  ] as const) {
    const [plain, delayed] = [await draft({ schedule }), await draft({ schedule })]
    expect(await sendIn(delayed, 60)).toEqual(await send(plain))
  }
})

// spec: campaigns/unsend
test('an operator can take a scheduled campaign back to a changeable draft; any other keeps its status', async () => {
  for (const status of campaignStatuses) {
    const id = await platform.campaignIn(status, appId)
    const isAllowed = status === 'scheduled'
    expect({ status, answer: await codeOf(unsend(id)) }).toEqual({ status, answer: isAllowed ? 'allowed' : 'invalid_state' })
    expect(await statusOf(id)).toBe(isAllowed ? 'draft' : status)
  }
  const segmentId = newId()
  platform.segments.set(segmentId, {})
  const id = await draft({ segmentId })
  await sendIn(id, 60)
  expect(await unsend(id)).toEqual({ id, status: 'draft' })
  // The draft only names its saved segment again, so that the next send copies it anew.
  expect(await platform.rowOf(id)).toMatchObject({ status: 'draft', target: null, due_at: null, started_at: null })
  const campaign = givenCampaign({ name: 'Changed' })
  expect(await platform.gateway.call(replaceCampaign, { appId, campaignId: id, campaign })).toMatchObject({ name: 'Changed' })
  expect(platform.pointersAt(id)).toBe(0)
  expect(await send(id)).toEqual({ status: 'sending', nextAt: null })
  await until(() => platform.pointersAt(id) === 1, { what: 'the pointer' })
})

// spec: campaigns/unsend-or-start
test('of two undos and the start at once, the campaign is a draft that sent nothing or started once', async () => {
  const [drafts, started]: [string[], string[]] = [[], []]
  // Each second round begins when the sweep has started its first campaign, so both ends are seen however fast the machine is.
  for (let round = 0; round < 6 || (round < 100 && Math.min(drafts.length, started.length) === 0); round += 1) {
    const ids = await scheduled(30, `now() + position * interval '10 milliseconds'`)
    if (round % 2 === 1) await until(async () => (await statusOf(ids[0] ?? '')) === 'sending', { what: 'the first start' })
    const answers = await Promise.all(ids.map((id) => Promise.all([codeOf(unsend(id)), codeOf(unsend(id))])))
    await until(async () => (await Promise.all(ids.map(platform.rowOf))).every(({ due_at }) => due_at === null), { what: 'every end' })
    for (const [place, id] of ids.entries()) {
      const isTakenBack = answers[place]?.includes('allowed') ?? false
      expect(answers[place]?.toSorted()).toEqual([isTakenBack ? 'allowed' : 'invalid_state', 'invalid_state'])
      expect(await statusOf(id)).toBe(isTakenBack ? 'draft' : 'sending')
      ;(isTakenBack ? drafts : started).push(id)
    }
  }
  expect(Math.min(drafts.length, started.length)).toBeGreaterThan(0)
  expect(drafts.filter((id) => platform.pointersAt(id) > 0)).toEqual([])
  expect(started.filter((id) => platform.pointersAt(id) !== 1)).toEqual([])
})

// spec: campaigns/cancel-or-start
test(
  'in 2,000 races of a cancel against the start each campaign is cancelled or started; audience hears of those started',
  { timeout: 120_000 },
  async () => {
    const started: string[] = []
    const cancelled: string[] = []
    // A fast machine may cancel all 100 campaigns of a round between two sweeps. Further rounds follow until some campaigns of each kind were seen.
    for (let round = 0; round < 20 || (round < 200 && Math.min(started.length, cancelled.length) === 0); round += 1) {
      const stored = Array.from({ length: 100 }, () => ({ ...givenStored(), appId, transactional: false, status: 'draft' as const }))
      await insertCampaigns(platform.db, stored)
      const ids = stored.map(({ id }) => id)
      // The rows are changed without the API, which would need 2,000 calls to schedule campaigns a millisecond apart.
      await sql`
      update campaigns set status = 'scheduled', due_at = now() + position * interval '1 millisecond'
      from unnest(${ids}::text[]) with ordinality as wanted(id, position)
      where campaigns.id = wanted.id`.execute(platform.db)
      // The cancels go from the last campaign to the first, and the sweeps of two instances from the first to the last.
      const answers = new Map<string, string>()
      const backwards = ids.toReversed()
      for (let n = 0; n < backwards.length; n += 5) {
        await Promise.all(backwards.slice(n, n + 5).map(async (id) => answers.set(id, await codeOf(cancel(id)))))
      }
      const rows = () => platform.db.selectFrom('campaigns').select(['id', 'status', 'due_at']).where('id', 'in', ids).execute()
      await until(async () => (await rows()).every(({ due_at }) => due_at === null), { what: 'every end' })
      for (const { id, status } of await rows()) {
        expect({ status, answer: answers.get(id) }).toEqual(
          status === 'sending' ? { status, answer: 'invalid_state' } : { status: 'cancelled', answer: 'allowed' },
        )
        ;(status === 'sending' ? started : cancelled).push(id)
      }
    }
    expect(started.length + cancelled.length).toBeGreaterThanOrEqual(2_000)
    expect(Math.min(started.length, cancelled.length)).toBeGreaterThan(0)
    expect(cancelled.filter((id) => platform.pointersAt(id) > 0)).toEqual([])
    expect(started.filter((id) => platform.pointersAt(id) === 0)).toEqual([])
  },
)

// spec: campaigns/cancel-or-start
test('of two sends, a cancel and the start at once, the campaign is either cancelled or started once', async () => {
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

// spec: administration/approval-changed
test('a send that names what was seen sends exactly that: another revision is refused', async () => {
  const id = await draft({ segment: { field: 'tags.plan', op: 'eq', value: 'pro' } })
  const resolve = () => platform.gateway.call(resolveSend, { appId, defaultTimezone: 'UTC', campaignId: id })
  const { target, revision = -1 } = await resolve()
  await platform.gateway.call(replaceCampaign, { appId, campaignId: id, campaign: givenCampaign({ name: 'Other' }) })
  const sendSeen = (seen: { revision: number; target: typeof target }) =>
    platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC', seen })
  expect(await codeOf(sendSeen({ revision, target }))).toBe('invalid_state')
  const now = await resolve()
  expect(now.revision).toBe(revision + 1)
  expect(await sendSeen({ revision: revision + 1, target: now.target })).toMatchObject({ status: 'sending' })
})
