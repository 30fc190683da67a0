import {
  cancelCampaign,
  createCampaign,
  endCampaign,
  getCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { Config } from './config.ts'
import { endLongPauses } from './store/flows.ts'
import { givenCampaign, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
const minute = 60_000
const day = 86_400_000
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

/** Sends a daily recurrence in UTC whose time of day was a minute ago. */
async function activated() {
  const occurrence = new Date(Math.floor(Date.now() / minute) * minute - minute)
  const schedule = { type: 'recurring' as const, every: 'day' as const, localTime: occurrence.toISOString().slice(11, 16), timezone: 'UTC' }
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign({ schedule }) })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  return { id, occurrence, next: new Date(occurrence.getTime() + day) }
}
async function underWay() {
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign() })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  await until(() => platform.audience.rows.has(id), { what: 'the take-over' })
  return id
}
const pause = (campaignId: string) => platform.gateway.call(pauseCampaign, { appId, campaignId })
const resume = (campaignId: string) => platform.gateway.call(resumeCampaign, { appId, campaignId })
const change = (id: string, to: Record<string, unknown>) => platform.db.updateTable('campaigns').set(to).where('id', '=', id).execute()
const runsOf = (id: string) => platform.db.selectFrom('campaigns').select(['id', 'status']).where('recurring_of', '=', id).execute()

// spec: campaigns/pause-recurring
test('a paused recurrence starts no run when it is due, and an active recurrence does', async () => {
  const [paused, active] = [await activated(), await activated()]
  expect(await pause(paused.id)).toEqual({ status: 'paused' })
  expect(await platform.gateway.call(getCampaign, { appId, campaignId: paused.id })).toMatchObject({ status: 'paused', nextAt: null })
  for (const { id, occurrence } of [paused, active]) await change(id, { due_at: occurrence })
  await until(async () => (await runsOf(active.id)).length === 1, { what: 'the run of the other' })
  expect(await runsOf(paused.id)).toEqual([])
  await expect(pause(paused.id)).rejects.toMatchObject({ code: 'invalid_state' })
})

// spec: campaigns/pause-recurring
test('a resumed recurrence is active and due at its next occurrence; those during the pause do not run', async () => {
  const { id, next } = await activated()
  await pause(id)
  // The recurrence looks as if it was sent ten days ago and paused nine days ago. Nine occurrences lie in the pause, the last of them a minute ago.
  await change(id, { activated_at: new Date(Date.now() - 10 * day), paused_at: new Date(Date.now() - 9 * day) })
  expect(await resume(id)).toEqual({ status: 'active' })
  expect(await platform.rowOf(id)).toMatchObject({ status: 'active', due_at: next, paused_at: null, missed_count: 0, settled_at: null })
  const other = await activated()
  await change(other.id, { due_at: other.occurrence })
  await until(async () => (await runsOf(other.id)).length === 1, { what: 'a look of the sweep' })
  expect(await runsOf(id)).toEqual([])
  expect(await platform.rowOf(id)).toMatchObject({ status: 'active', due_at: next, missed_count: 0 })
})

// spec: campaigns/recurring-cancelled
test('a run under way goes on when its recurrence is paused', async () => {
  const { id, occurrence } = await activated()
  await change(id, { due_at: occurrence })
  const [run] = await until(async () => (await runsOf(id)).length > 0 && runsOf(id), { what: 'the run' })
  await pause(id)
  await until(() => platform.audience.rows.has(run?.id ?? ''), { what: 'the take-over of the run' })
  expect(await platform.rowOf(run?.id ?? '')).toMatchObject({ status: 'sending', cancelling: false })
})

test('a recurrence whose `until` passed during its pause ends as sent when it is resumed, without another run', async () => {
  const { id } = await activated()
  await pause(id)
  const { schedule } = await platform.rowOf(id)
  await change(id, { schedule: JSON.stringify({ ...schedule, until: new Date(Date.now() - minute).toISOString() }) })
  await resume(id)
  await until(async () => (await platform.rowOf(id)).status === 'sent', { what: 'the end' })
  expect(await runsOf(id)).toEqual([])
})

// spec: campaigns/cancel
test('an operator and the app’s backend can each cancel a paused recurrence, which ends at once', async () => {
  for (const contract of [endCampaign, cancelCampaign]) {
    const { id } = await activated()
    await pause(id)
    expect(await platform.gateway.call<{ appId: string; campaignId: string }, unknown>(contract, { appId, campaignId: id })).toEqual({
      status: 'cancelled',
    })
    expect(await platform.rowOf(id)).toMatchObject({ status: 'cancelled', paused_at: null, settled_at: expect.any(Date) })
    await expect(resume(id)).rejects.toMatchObject({ code: 'invalid_state' })
  }
})

// spec: campaigns/pause-ends
test('after PAUSE_MAX_DAYS campaigns has the send cancelled, or the recurrence at once; a younger pause goes on', async () => {
  const [send, young, { id: recurrence }] = [await underWay(), await underWay(), await activated()]
  for (const id of [send, young, recurrence]) await pause(id)
  for (const [id, days] of [
    [send, 31],
    [recurrence, 31],
    [young, 29],
  ] as const)
    await change(id, { paused_at: sql`now() - make_interval(days => ${days})` })

  expect((await endLongPauses(platform.db, 30)).toSorted()).toEqual([send, recurrence].toSorted())
  expect(await endLongPauses(platform.db, 30)).toEqual([])
  expect(await platform.rowOf(recurrence)).toMatchObject({ status: 'cancelled', settled_at: expect.any(Date) })
  const flowsOf = (id: string) => platform.audience.flows.filter(({ campaignId }) => campaignId === id).map(({ flow }) => flow)
  await until(() => flowsOf(send).includes('cancelled'), { what: 'the cancel' })
  expect(await platform.rowOf(send)).toMatchObject({ status: 'paused', cancelling: true })
  expect(await platform.rowOf(young)).toMatchObject({ status: 'paused', cancelling: false })
})

// spec: campaigns/pause-ends
test('a configuration whose PAUSE_MAX_DAYS is not below LEDGER_RETENTION_DAYS is refused', () => {
  const environment = { DATABASE_URL_CAMPAIGNS: 'postgres://127.0.0.1/herald', LEDGER_RETENTION_DAYS: '40' }
  expect(Config.safeParse({ ...environment, PAUSE_MAX_DAYS: '39' }).success).toBe(true)
  expect(Config.safeParse({ ...environment, PAUSE_MAX_DAYS: '40' }).error?.issues).toMatchObject([
    { path: ['PAUSE_MAX_DAYS'], message: 'must be below LEDGER_RETENTION_DAYS' },
  ])
})
