import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countBacklog } from './sends/store/backlog.ts'
import { findDueAges } from './store/due.ts'
import { findFanOut } from './sends/store/fan-outs.ts'
import { findScan } from './sends/store/pages.ts'
import { fanOutAll, givenDevice, givenSend, openAudience } from './testing/rig.ts'

const { startProcess, audience, db, peers } = await openAudience()

test('the age of a queue in the metrics is how long its oldest row has waited for the sweep', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOutAll(audience, campaignId)
  const ages = async () => Object.fromEntries((await findDueAges(db)).map(({ queue, seconds }) => [queue, Math.floor(seconds)]))
  expect(await ages()).toEqual({ batches: 0, 'fan-outs': 0, announcements: 0 })

  await sql`update batches set due_at = now() - interval '90 seconds' where campaign_id = ${campaignId}`.execute(db)

  const { batches, ...others } = await ages()
  expect(batches).toBeGreaterThanOrEqual(90)
  expect(others).toEqual({ 'fan-outs': 0, announcements: 0 })
})

test('the backlog has untaken pushes and an estimate of what is not scanned; not what is held, paused or done', async () => {
  const appId = newId()
  const batches = async () => (await countBacklog(db)).filter(({ pushes }) => pushes > 0)
  await sql`update batches set done_at = now()`.execute(db)
  for (const _ of Array.from({ length: 3 })) await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOutAll(audience, campaignId)
  const [small] = await batches()
  expect(await batches()).toEqual([{ ...small, lane: 'prompt', pushes: 3 }])

  // A large send that has read 2 pages of an app with 60,000 devices, and queued 2,500 iOS pushes of them.
  await sql`insert into device_days (app_id, day, platform, total, reachable, opted_out, invalidated, active_1d, active_7d, active_30d, new)
    values (${appId}, current_date - 1, 'ios', 40000, 40000, 0, 0, 0, 0, 0, 0), (${appId}, current_date - 1, 'web', 20000, 0, 0, 0, 0, 0, 0, 0)`.execute(
    db,
  )
  await sql`update batches set held_since = now() where campaign_id = ${campaignId}`.execute(db)
  await sql`update fan_outs set lane = 'bulk', page = 3, queued_ios = 2500, state = 'running', due_at = now() + interval '5 seconds'
    where campaign_id = ${campaignId}`.execute(db)
  expect(await batches()).toEqual([{ platform: 'ios', lane: 'bulk', pushes: 12_500 }])

  expect(await findScan(db, { appId, campaignId })).toEqual({ scanned: 10_000, listed: null })
  expect(await findScan(db, { appId: newId(), campaignId })).toBeNull()

  await sql`update fan_outs set flow = 'paused' where campaign_id = ${campaignId}`.execute(db)
  expect(await batches()).toEqual([])
})

test('the metrics of a running audience count its pages and show the longest wait for the sweep', async () => {
  const process = await startProcess()
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

  await peers.point(campaignId)

  await until(async () => (await findFanOut(db, campaignId))?.state === 'fanned_out')
  await until(async () => (await process.metrics.text()).includes('herald_fan_out_pages_total 1'))
  expect(await process.metrics.text()).toMatch(/herald_due_age_seconds\{scope="global",queue="fan-outs"\} \d/)
})

test('while the database does not answer, the metrics are answered without the numbers from the database', async () => {
  const process = await startProcess()
  await until(async () => (await process.metrics.text()).includes('herald_due_age_seconds{scope="global",queue="batches"}'))
  const { promise: scraped, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: haveLocked } = Promise.withResolvers<void>()
  const locking = db.transaction().execute(async (trx) => {
    await sql`lock table batches, circuits in access exclusive mode`.execute(trx)
    haveLocked()
    await scraped
  })
  await locked

  // A wait for a database connection ends after 10 s. The answer of the metrics has its own, shorter limit.
  const { promise: tooLate, resolve: giveUp } = Promise.withResolvers<string>()
  const timer = setTimeout(() => giveUp('no answer'), 8_000)
  const text = await Promise.race([process.metrics.text(), tooLate])
  clearTimeout(timer)
  release()
  await locking

  expect(text).toContain('herald_fan_out_pages_total')
  expect(text).not.toMatch(/herald_due_age_seconds\{/)
})
