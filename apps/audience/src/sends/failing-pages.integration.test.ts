import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fanOut } from './fan-out.ts'
import { findFanOut } from './store/fan-outs.ts'
import { givenCrowd, givenDevice, givenFanOut, givenSend, openAudience } from '../testing/rig.ts'

type Rig = Awaited<ReturnType<typeof openAudience>>

async function poison({ db }: Rig, appIds: string[]): Promise<void> {
  const name = `poison_${newId()}`
  await sql`
    create function ${sql.raw(name)}() returns trigger language plpgsql as
      $$ begin if new.app_id in (${sql.raw(appIds.map((id) => `'${id}'`).join())}) then raise 'secret-value'; end if; return new; end $$`.execute(
    db,
  )
  await sql`create trigger ${sql.raw(name)} before insert on batches for each row execute function ${sql.raw(name)}()`.execute(db)
}

describe('a page that fails', async () => {
  const rig = await openAudience()
  const { db, audience, peers } = rig
  const isDue = (campaignId: string) => sql`update fan_outs set due_at = now() where campaign_id = ${campaignId}`.execute(db)
  const databaseNow = async () => (await sql<{ now: Date }>`select now() as now`.execute(db)).rows[0]?.now ?? new Date(0)

  test('when a send’s first page fails, this is stored and the pointer acknowledged; a repeat tries it no earlier', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    await poison(rig, [appId])
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

    expect(await fanOut(audience, { campaignId, page: 0 })).toBe(0)

    const row = await findFanOut(db, campaignId)
    expect(row).toMatchObject({ state: 'running', page: 1, failures: 1, leaseUntil: null })
    // Campaigns was told that the send has begun, so it publishes no further pointer at it.
    expect(peers.started).toContain(campaignId)
    expect(await fanOut(audience, { campaignId, page: 0 })).toBe(0)
    expect((await findFanOut(db, campaignId))?.failures).toBe(1)
  })

  // spec: sending/failed-start
  test('when campaigns cannot read a send, audience makes no fan-out, says that the start has failed and acknowledges the pointer', async () => {
    const campaignId = peers.givenCampaign(givenSend(newId()), { kind: 'all' })
    peers.unreadable.add(campaignId)

    expect(await fanOut(audience, { campaignId, page: 0 })).toBe(0)

    expect(await findFanOut(db, campaignId)).toBeUndefined()
    expect(peers.failedStarts).toEqual([campaignId])
  })

  // spec: sending/one-failing-send
  test('a failing page is retried after longer and longer waits; the fifth failure ends the send, in plain words', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    await poison(rig, [appId])
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    for (const [page, wait] of [2, 4, 8, 16].entries()) {
      const before = await databaseNow()
      await fanOut(audience, { campaignId, page: Math.min(page, 1) })
      const { dueAt } = (await findFanOut(db, campaignId)) ?? {}
      expect((dueAt?.getTime() ?? 0) - before.getTime()).toBeGreaterThanOrEqual(wait * 1000)
      await isDue(campaignId)
    }
    await fanOut(audience, { campaignId, page: 1 })

    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'failed', dueAt: null, settledAt: expect.any(Date) })
    const failure = peers.failures.find((one) => one.campaignId === campaignId)
    expect(failure).toMatchObject({ code: 'internal', message: expect.stringContaining('could not be queued') })
    expect(JSON.stringify(failure)).not.toContain('secret-value')
  })

  test('when a page succeeds, the failures of the next page count from zero', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const campaignId = await givenFanOut(db, givenSend(appId))
    await sql`update fan_outs set failures = 3 where campaign_id = ${campaignId}`.execute(db)
    await fanOut(audience, { campaignId, page: 1 })
    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', failures: 0 })
  })

  test('when the first page of a send at local times failed, audience plans its waves at the next try', async () => {
    const appId = newId()
    const { userId } = await givenDevice(db, { appId })
    await db.updateTable('users').set({ timezone: 'Asia/Tokyo' }).where('id', '=', userId).execute()
    const userTimezone = { localTime: '09:00', after: new Date().toISOString() }
    const send = givenSend(appId, { userTimezone })
    const campaignId = await givenFanOut(db, send)
    await sql`update fan_outs set failures = 1, told_page = 1 where campaign_id = ${campaignId}`.execute(db)

    await fanOut(audience, { campaignId, page: 1 })

    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'between_waves', page: 1, waves: [{ zones: ['Asia/Tokyo'] }] })
  })

  test('when a send fails after some pages the tracker is told what was queued, and that nothing follows', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 5_200 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    await fanOut(audience, { campaignId, page: 0 })
    const { page, queued } = (await findFanOut(db, campaignId)) ?? {}
    expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: false, byPlatform: queued })
    await poison(rig, [appId])
    // The batches of the first page are done, so the app's bulk window has room for the next page.
    await sql`update batches set done_at = now() where campaign_id = ${campaignId}`.execute(db)
    await sql`update fan_outs set failures = 4, lease_until = null where campaign_id = ${campaignId}`.execute(db)

    await fanOut(audience, { campaignId, page: page ?? 0 })

    expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: queued })
    expect(peers.failures.some((one) => one.campaignId === campaignId)).toBe(true)
  })
})

describe('failing pages in a running audience', async () => {
  const rig = await openAudience()
  const { db, startProcess, peers, dispatcher } = rig
  await startProcess()

  // spec: sending/one-failing-send
  test('three sends whose pages fail do not delay a fourth send, and end as failed', async () => {
    const poisoned = [newId(), newId(), newId()]
    for (const appId of poisoned) await givenDevice(db, { appId })
    await poison(rig, poisoned)
    const failing = poisoned.map((appId) => peers.givenCampaign(givenSend(appId), { kind: 'all' }))
    await Promise.all(failing.map((campaignId) => peers.point(campaignId)))
    await until(async () => {
      const rows = await Promise.all(failing.map((campaignId) => findFanOut(db, campaignId)))
      return rows.every((row) => row && row.failures > 0)
    })
    const appId = newId()
    await givenDevice(db, { appId })
    const honest = peers.givenCampaign(givenSend(appId), { kind: 'all' })

    await peers.point(honest)

    await until(() => dispatcher.pointers.some(({ campaignId }) => campaignId === honest))
    expect((await Promise.all(failing.map((campaignId) => findFanOut(db, campaignId)))).map((row) => row?.state)).toEqual(
      Array(3).fill('running'),
    )
    // The test shortens the waits between the tries, which are half a minute together.
    await until(
      async () => {
        await sql`update fan_outs set due_at = now() where failures > 0 and state = 'running' and lease_until is null`.execute(db)
        return failing.every((id) => peers.failures.some(({ campaignId }) => campaignId === id))
      },
      { withinMs: 60_000 },
    )
  })
})
