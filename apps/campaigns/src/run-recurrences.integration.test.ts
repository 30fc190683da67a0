import { cancelCampaign, createCampaign, listOccurrences, pauseCampaign, readSend, sendCampaign } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { insertRuns } from './store/recurrences.ts'
import { givenCampaign, givenExperiment, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
const minute = 60_000
const day = 86_400_000
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

/** Sends a daily recurrence in UTC whose time of day was `minutesAgo` minutes ago. Its next occurrence is less than a day away. */
async function activated({ minutesAgo = 1, until: end, maxRuns }: { minutesAgo?: number; until?: Date; maxRuns?: number } = {}) {
  const occurrence = new Date(Math.floor(Date.now() / minute) * minute - minutesAgo * minute)
  const schedule = {
    type: 'recurring' as const,
    every: 'day' as const,
    localTime: occurrence.toISOString().slice(11, 16),
    timezone: 'UTC',
    ...(end ? { until: end.toISOString() } : {}),
    ...(maxRuns === undefined ? {} : { maxRuns }),
  }
  const campaign = givenCampaign({ name: 'Every day', schedule, segment: { field: 'country', op: 'eq', value: 'DE' } })
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign })
  expect(await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })).toMatchObject({ status: 'active' })
  return { id, occurrence, next: new Date(occurrence.getTime() + day) }
}
const makeDue = (id: string, dueAt: Date) => platform.db.updateTable('campaigns').set({ due_at: dueAt }).where('id', '=', id).execute()
const runsOf = (id: string) =>
  platform.db.selectFrom('campaigns').selectAll().where('recurring_of', '=', id).orderBy('local_date').execute()
const isAdvanced = (id: string, next: Date | null) => async () =>
  (await platform.rowOf(id)).due_at?.getTime() === next?.getTime() || undefined

// spec: campaigns/recurring, campaigns/send
test('a recurrence that is sent becomes active and due at its next local time, and sends nothing itself', async () => {
  const { id, next } = await activated()
  expect(await platform.rowOf(id)).toMatchObject({ status: 'active', due_at: next, activated_at: expect.any(Date) })
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toBeNull()
})

// spec: campaigns/recurring
test('an occurrence makes one run, a campaign under way, and the recurrence is due at its next occurrence', async () => {
  const { id, occurrence, next } = await activated()
  await makeDue(id, occurrence)
  await until(isAdvanced(id, next), { what: 'the next due time' })

  const [run, ...more] = await runsOf(id)
  expect(more).toEqual([])
  expect(run).toMatchObject({
    app_id: appId,
    name: 'Every day',
    status: 'sending',
    local_date: occurrence.toISOString().slice(0, 10),
    transactional: false,
  })
  await until(() => platform.pointersAt(run?.id ?? '') === 1, { what: 'the pointer at the run' })
  expect(await platform.audience.bus.call(readSend, { campaignId: run?.id ?? '' })).toMatchObject({
    send: { name: 'Every day', transactional: false },
    target: { kind: 'segment', segment: { field: 'country', op: 'eq', value: 'DE' } },
  })
  expect(platform.pointersAt(id)).toBe(0)
})

// spec: campaigns/recurring-once-a-day
test('with two instances of campaigns, 30 recurrences that are due together make one run each', async () => {
  const parents = await Promise.all(Array.from({ length: 30 }, () => activated()))
  await Promise.all(parents.map(({ id, occurrence }) => makeDue(id, occurrence)))
  for (const { id, next } of parents) {
    await until(isAdvanced(id, next), { what: 'the next due time' })
    expect(await runsOf(id)).toHaveLength(1)
  }
})

const fallenDue = (id: string, occurrence: Date, daysAgo: number) => makeDue(id, new Date(occurrence.getTime() - daysAgo * day))
const missedTotal = () => platform.measured('herald_occurrences_missed_total')

// spec: campaigns/recurring-missed
test('without any process for a time at most the newest occurrence runs, within an hour; others count as missed', async () => {
  // Each row: minutes since the newest occurrence, days without a process, expected runs, expected missed occurrences. 57 leaves two minutes to a slow machine.
  for (const [minutesAgo, daysDown, runs, missed] of [
    [57, 0, 1, 0],
    [62, 0, 0, 1],
    [180, 0, 0, 1],
    [30, 3, 1, 3],
    [180, 3, 0, 4],
  ] as const) {
    const before = await missedTotal()
    const { id, occurrence, next } = await activated({ minutesAgo })
    await fallenDue(id, occurrence, daysDown)
    await until(isAdvanced(id, next), { what: 'the next due time' })
    expect((await runsOf(id)).map(({ local_date }) => local_date)).toEqual(runs === 0 ? [] : [occurrence.toISOString().slice(0, 10)])
    expect((await platform.rowOf(id)).missed_count).toBe(missed)
    await until(async () => (await missedTotal()) === before + missed, { what: 'the measurement' })
  }
})

// spec: experiments/recurring
test('a run of a recurring experiment is an experiment with its own campaign id', async () => {
  const { id, occurrence, next } = await activated()
  await platform.db
    .updateTable('campaigns')
    .set({ experiment: JSON.stringify(givenExperiment(0.3)) })
    .where('id', '=', id)
    .execute()
  await makeDue(id, occurrence)
  await until(isAdvanced(id, next), { what: 'the next due time' })
  const [run] = await runsOf(id)
  const read = await platform.audience.bus.call(readSend, { campaignId: run?.id ?? '' })
  expect(read?.send).toMatchObject({ campaignId: run?.id, experiment: { sampleRate: 0.3, variants: [{ id: 'a' }, { id: 'b' }] } })
})

// spec: campaigns/recurring-once-a-day
test('a recurrence runs once per local date, even when its occurrence is due twice', async () => {
  const { id, occurrence, next } = await activated()
  for (const time of ['first', 'second']) {
    await makeDue(id, occurrence)
    await until(isAdvanced(id, next), { what: `the ${time} next due time` })
  }
  expect(await runsOf(id)).toHaveLength(1)
  const localDate = occurrence.toISOString().slice(0, 10)
  expect(await insertRuns(platform.db, [{ id: newId(), recurringOf: id, localDate }])).toEqual([])
})

// spec: campaigns/recurring-until
test('once its `until` has passed a recurrence ends as sent, after its last run', async () => {
  const { id, occurrence } = await activated({ until: new Date(Date.now() + 3_000) })
  await makeDue(id, occurrence)
  await until(async () => (await platform.rowOf(id)).status === 'sent', { what: 'the end' })
  expect(await runsOf(id)).toHaveLength(1)
  expect(await platform.rowOf(id)).toMatchObject({ due_at: null, settled_at: expect.any(Date) })
})

// spec: campaigns/recurring-max-runs
test('a recurrence ends as sent with the last of its `maxRuns` runs; an occurrence that was missed is no run', async () => {
  const { id, occurrence, next } = await activated({ maxRuns: 2 })
  const dayBefore = new Date(occurrence.getTime() - day)
  await insertRuns(platform.db, [{ id: newId(), recurringOf: id, localDate: occurrence.toISOString().slice(0, 10) }])
  await makeDue(id, occurrence)
  // The date has a run already, so this occurrence makes none.
  await until(isAdvanced(id, next), { what: 'the next due time' })
  expect(await platform.rowOf(id)).toMatchObject({ status: 'active', run_count: 0 })

  await platform.db.deleteFrom('campaigns').where('recurring_of', '=', id).execute()
  await makeDue(id, dayBefore)
  await until(isAdvanced(id, next), { what: 'the first run' })
  expect(await platform.rowOf(id)).toMatchObject({ status: 'active', run_count: 1, missed_count: 1 })
  expect(await listed(id, 50)).toHaveLength(1)

  await platform.db.deleteFrom('campaigns').where('recurring_of', '=', id).execute()
  await makeDue(id, occurrence)
  await until(async () => (await platform.rowOf(id)).status === 'sent', { what: 'the end' })
  expect(await platform.rowOf(id)).toMatchObject({ run_count: 2, due_at: null, settled_at: expect.any(Date) })
  expect(await listed(id, 50)).toEqual([])
})

const listed = async (campaignId: string, limit: number) =>
  (await platform.gateway.call(listOccurrences, { appId, campaignId, limit })).items

// spec: campaigns/occurrences
test('a draft’s occurrences are listed as if sent now, a recurrence’s as they come, a paused one’s as resumed', async () => {
  const schedule = {
    type: 'recurring' as const,
    every: 'month' as const,
    daysOfMonth: [31],
    localTime: '09:00',
    timezone: 'UTC',
    maxRuns: 3,
  }
  const campaign = givenCampaign({ schedule })
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign })
  const ofDraft = await listed(id, 50)
  expect(ofDraft).toHaveLength(3)
  expect(await listed(id, 2)).toEqual(ofDraft.slice(0, 2))
  for (const { at, localDate } of ofDraft) expect(at).toBe(`${localDate}T09:00:00.000Z`)

  const { nextAt } = await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  expect(await listed(id, 50)).toEqual(ofDraft)
  expect(nextAt).toBe(ofDraft[0]?.at)
  await platform.gateway.call(pauseCampaign, { appId, campaignId: id })
  expect(await listed(id, 50)).toEqual(ofDraft)
  await platform.gateway.call(cancelCampaign, { appId, campaignId: id })
  expect(await listed(id, 50)).toEqual([])

  const once = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign() })
  expect(await listed(once.id, 50)).toEqual([])
  await expect(listed(newId(), 50)).rejects.toMatchObject({ code: 'not_found' })
  await expect(platform.gateway.call(listOccurrences, { appId: newId(), campaignId: id, limit: 50 })).rejects.toMatchObject({
    code: 'not_found',
  })
})

// spec: campaigns/recurring-cancelled
test('a cancelled recurrence makes no more runs, and the runs that it has made go on', async () => {
  const { id, occurrence, next } = await activated()
  await makeDue(id, occurrence)
  await until(isAdvanced(id, next), { what: 'the next due time' })
  expect(await platform.gateway.call(cancelCampaign, { appId, campaignId: id })).toEqual({ status: 'cancelled' })
  expect((await runsOf(id)).map(({ status }) => status)).toEqual(['sending'])

  await sql`update campaigns set due_at = ${occurrence}::timestamptz - interval '1 day' where id = ${id}`.execute(platform.db)
  const other = await activated()
  await makeDue(other.id, other.occurrence)
  await until(isAdvanced(other.id, other.next), { what: 'a later recurrence' })
  expect(await runsOf(id)).toHaveLength(1)
})

// spec: campaigns/recurring-unreadable
test('a recurrence whose schedule cannot be read fails, and other recurrences run', async () => {
  const [broken, other] = [await activated(), await activated()]
  await sql`update campaigns set schedule = schedule || '{"localTime": 5}' where id = ${broken.id}`.execute(platform.db)
  await makeDue(broken.id, broken.occurrence)
  await makeDue(other.id, other.occurrence)

  await until(async () => (await platform.rowOf(broken.id)).status === 'failed', { what: 'the failure' })
  expect(await platform.rowOf(broken.id)).toMatchObject({ due_at: null, failure: { code: 'invalid_schedule' } })
  await until(isAdvanced(other.id, other.next), { what: 'the other’s run' })
  expect(await runsOf(other.id)).toHaveLength(1)
})

// spec: campaigns/recurring-unreadable
test('a recurrence whose row says no schedule or no time of activation fails', async () => {
  const [planless, dateless] = [await activated(), await activated()]
  await sql`update campaigns set schedule = null where id = ${planless.id}`.execute(platform.db)
  await sql`update campaigns set activated_at = null where id = ${dateless.id}`.execute(platform.db)
  for (const { id, occurrence } of [planless, dateless]) {
    await makeDue(id, occurrence)
    await until(async () => (await platform.rowOf(id)).status === 'failed', { what: 'the failure', withinMs: 20_000 })
    expect(await platform.rowOf(id)).toMatchObject({ due_at: null, failure: { code: 'invalid_schedule' } })
  }
})

// spec: campaigns/recurring-unreadable
test('a recurrence whose time zone the runtime does not know fails, and other recurrences run', async () => {
  const [lost, other] = [await activated(), await activated()]
  await sql`update campaigns set schedule = schedule || '{"timezone": "Nowhere/Else"}' where id = ${lost.id}`.execute(platform.db)
  await makeDue(lost.id, lost.occurrence)
  await makeDue(other.id, other.occurrence)
  await until(isAdvanced(other.id, other.next), { what: 'the next due time of the other' })
  expect(await runsOf(other.id)).toHaveLength(1)
  await until(async () => (await platform.rowOf(lost.id)).status === 'failed', { what: 'the failure' })
  expect(await platform.rowOf(lost.id)).toMatchObject({ due_at: null, failure: { code: 'invalid_schedule' } })
})

// spec: campaigns/recurring-until
test('sending a recurrence whose `until` has passed since it was made is refused with invalid_state', async () => {
  const schedule = {
    type: 'recurring',
    every: 'day',
    localTime: '09:00',
    timezone: 'UTC',
    until: new Date(Date.now() + day).toISOString(),
  } as const
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign({ schedule }) })
  const over = JSON.stringify({ ...schedule, until: new Date(Date.now() - 1).toISOString() })
  await platform.db.updateTable('campaigns').set({ schedule: over }).where('id', '=', id).execute()
  await expect(platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

// spec: campaigns/recurring
test('a recurrence whose run cannot be written holds up no other, and is tried again a minute later', async () => {
  const [bad, good] = [await activated(), await activated()]
  const name = `poison_${newId()}`
  await sql`create function ${sql.raw(name)}() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$`.execute(
    platform.db,
  )
  await sql`
    create trigger ${sql.raw(name)} before insert on campaigns for each row when (new.recurring_of = ${sql.lit(bad.id)})
    execute function ${sql.raw(name)}()`.execute(platform.db)
  await makeDue(bad.id, new Date(bad.occurrence.getTime() - minute))
  await makeDue(good.id, good.occurrence)

  await until(isAdvanced(good.id, good.next), { what: 'the good recurrence ran' })
  expect(await runsOf(good.id)).toHaveLength(1)
  const dueAt = await until(async () => {
    const { due_at: at } = await platform.rowOf(bad.id)
    return at && at.getTime() > Date.now() && at
  })
  expect(dueAt.getTime()).toBeLessThanOrEqual(Date.now() + minute)
  expect(await runsOf(bad.id)).toEqual([])
})
