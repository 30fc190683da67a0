import type { BatchPointer } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { openAppSettings } from '../app-settings.ts'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { fanOut } from './fan-out.ts'
import { clearSettled } from './store/settled.ts'
import { findFanOut, takePage } from './store/fan-outs.ts'
import { wakeWaiting } from './store/bulk-window.ts'
import { fanOutAll, givenCrowd, givenDevice, givenFanOut, givenSend, openAudience } from '../testing/rig.ts'

/** No sweep runs in these tests, so that they see what one call of `fanOut` did. */
describe('making the pages of a send', async () => {
  const rig = await openAudience()
  const { db, audience, peers, dispatcher } = rig
  const batchesOf = (campaignId: string) =>
    db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).orderBy('id').execute()
  const queuedIn = async (campaignId: string) => (await batchesOf(campaignId)).flatMap((batch) => batch.subscription_ids).toSorted()

  // spec: sending/target-resolves, sending/target-unknown
  test('a send with any kind of target goes to the devices of the target and to no others', async () => {
    const appId = newId()
    const ann = await givenDevice(db, { appId, externalId: 'ann' })
    const annsTablet = await givenDevice(db, { appId, userId: ann.userId, platform: 'android' })
    const bob = await givenDevice(db, { appId, externalId: 'bob', platform: 'web' })
    const foreign = await givenDevice(db, { appId: newId(), externalId: 'ann' })
    const all = [ann.id, annsTablet.id, bob.id]
    const targets: [FrozenTarget, string[]][] = [
      [{ kind: 'all' }, all],
      [{ kind: 'externalIds', externalIds: ['ann', 'nobody'] }, [ann.id, annsTablet.id]],
      [{ kind: 'userIds', userIds: [bob.userId, foreign.userId, newId()] }, [bob.id]],
      [{ kind: 'subscriptionIds', subscriptionIds: [annsTablet.id, foreign.id, newId()] }, [annsTablet.id]],
      [{ kind: 'segment', segment: {} }, all],
      [{ kind: 'segment', segment: { field: 'platform', op: 'ne', value: 'web' } }, [ann.id, annsTablet.id]],
      [{ kind: 'segment', segment: { field: 'externalId', op: 'eq', value: 'bob' } }, [bob.id]],
    ]
    for (const [target, expected] of targets) {
      const campaignId = peers.givenCampaign(givenSend(appId), target)

      await fanOut(audience, { campaignId, page: 0 })

      expect({ target, queued: await queuedIn(campaignId) }).toEqual({ target, queued: expected.toSorted() })
      expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, appId })
      expect(peers.started).toContain(campaignId)
      const batches = await batchesOf(campaignId)
      expect(new Set(batches.map(({ lane }) => lane))).toEqual(new Set(['prompt']))
      await until(() => dispatcher.pointers.filter((pointer) => pointer.campaignId === campaignId).length === batches.length)
    }
  })

  test('with the last page of a send audience deletes the target, because it may hold external ids', async () => {
    const appId = newId()
    await givenDevice(db, { appId, externalId: 'ann' })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'externalIds', externalIds: ['ann'] })

    await fanOut(audience, { campaignId, page: 0 })

    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', target: null })
  })

  // spec: tracking/never-queued, identity/reachable
  test('no push is queued for a device that is opted out or invalidated', async () => {
    const appId = newId()
    const out = await givenDevice(db, { appId })
    const dead = await givenDevice(db, { appId })
    const reachable = await givenDevice(db, { appId })
    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', '=', out.id).execute()
    await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', dead.id).execute()
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

    await fanOut(audience, { campaignId, page: 0 })

    expect(await queuedIn(campaignId)).toEqual([reachable.id])
    expect(peers.lastReport(campaignId)?.byPlatform).toEqual({ ios: 1, android: 0, web: 0 })
  })

  // spec: sending/target-unknown
  test('a send whose target has no devices is reported to the tracker once, as complete with nothing queued', async () => {
    const campaignId = peers.givenCampaign(givenSend(newId()), { kind: 'externalIds', externalIds: ['nobody'] })

    await fanOut(audience, { campaignId, page: 0 })
    await fanOut(audience, { campaignId, page: 0 })

    const reports = peers.reports.filter((report) => report.campaignId === campaignId)
    expect(reports).toMatchObject([{ fannedOut: true, byPlatform: { ios: 0, android: 0, web: 0 } }])
    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', dueAt: null })
  })

  test('a pointer at a campaign that is not to be sent changes nothing', async () => {
    const campaignId = newId()

    await fanOut(audience, { campaignId, page: 0 })

    expect(await findFanOut(db, campaignId)).toBeUndefined()
  })

  test('when NATS delivers the pointer at a page twice, also at the same time, the page is made once', async () => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 700 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

    await Promise.all([fanOut(audience, { campaignId, page: 0 }), fanOut(audience, { campaignId, page: 0 })])
    await Promise.all([1, 1, 2].map((page) => fanOut(audience, { campaignId, page })))

    expect(await queuedIn(campaignId)).toEqual(crowd)
    expect((await batchesOf(campaignId)).map((batch) => batch.subscription_ids.length).toSorted((one, other) => one - other)).toEqual([
      200, 500,
    ])
    expect(peers.lastReport(campaignId)?.byPlatform.ios).toBe(700)
  })

  test('when the process that makes a page dies, the page is made after its lease ends, and only once', async () => {
    const appId = newId()
    const device = await givenDevice(db, { appId })
    const campaignId = await givenFanOut(db, givenSend(appId))
    await takePage(db, campaignId, 1)

    await fanOut(audience, { campaignId, page: 1 })
    expect(await queuedIn(campaignId)).toEqual([])
    await db
      .updateTable('fan_outs')
      .set({ lease_until: sql<Date>`now()` })
      .where('campaign_id', '=', campaignId)
      .execute()
    await Promise.all([fanOut(audience, { campaignId, page: 1 }), fanOut(audience, { campaignId, page: 1 })])

    expect(await queuedIn(campaignId)).toEqual([device.id])
  })

  test('when two processes start a send at once, only the first one makes a fan-out and batches', async () => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 600 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    const gate = Promise.withResolvers<void>()
    peers.state.gatewayAnswersAfter = gate.promise
    peers.state.askedGateway = 0

    const other = { ...audience, settingsOf: openAppSettings(audience.bus) }
    const both = [fanOut(audience, { campaignId, page: 0 }), fanOut(other, { campaignId, page: 0 })]
    await until(() => peers.state.askedGateway === 2)
    gate.resolve()
    await Promise.all(both)

    expect(await queuedIn(campaignId)).toEqual(crowd)
    expect(peers.lastReport(campaignId)?.byPlatform.ios).toBe(600)
  })

  test('when two processes make the same page because a lease ended, only the batches of the first one stay', async () => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 600 })
    const remainder = { of: newId(), sampleRate: 0.000_000_000_001 }
    const campaignId = await givenFanOut(db, givenSend(appId, { remainder }))
    const gate = Promise.withResolvers<void>()
    peers.state.settledAnswersAfter = gate.promise
    peers.state.askedSettled = 0

    const frozen = fanOut(audience, { campaignId, page: 1 })
    await until(() => peers.state.askedSettled === 1)
    await db.updateTable('fan_outs').set({ lease_until: null }).where('campaign_id', '=', campaignId).execute()
    const second = fanOut(audience, { campaignId, page: 1 })
    await until(() => peers.state.askedSettled === 2)
    gate.resolve()
    await Promise.all([frozen, second])

    expect(await queuedIn(campaignId)).toEqual(crowd)
    expect(peers.lastReport(campaignId)?.byPlatform.ios).toBe(600)
  })

  test('a page that cannot be made because another service is away may be tried again at once', async () => {
    const appId = newId()
    const device = await givenDevice(db, { appId })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    peers.state.gatewayIsAway = true
    await expect(fanOut(audience, { campaignId, page: 0 })).rejects.toMatchObject({ code: 'queue_unavailable' })
    peers.state.gatewayIsAway = false

    await fanOut(audience, { campaignId, page: 0 })

    expect(await queuedIn(campaignId)).toEqual([device.id])
  })

  // spec: sending/new-devices
  test('a device that registers after a send began does not get it, even before the fan-out reaches its id', async () => {
    const appId = newId()
    const early = await givenDevice(db, { appId })
    const campaignId = await givenFanOut(db, givenSend(appId))
    await givenDevice(db, { appId })

    await fanOut(audience, { campaignId, page: 1 })

    expect(await queuedIn(campaignId)).toEqual([early.id])
  })

  test('no pointer at a batch is published before the tracker knows the totals of its page', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    peers.state.trackerIsAway = true

    await fanOut(audience, { campaignId, page: 0 })

    const row = await findFanOut(db, campaignId)
    expect(row).toMatchObject({ state: 'fanned_out', page: 2, toldPage: 0 })
    expect(row?.dueAt).not.toBeNull()
    peers.state.trackerIsAway = false
    await fanOut(audience, { campaignId, page: 2 })
    expect(await findFanOut(db, campaignId)).toMatchObject({ toldPage: 2, dueAt: null })
    expect(dispatcher.pointers.some((pointer) => pointer.campaignId === campaignId)).toBe(false)
  })

  test('every batch is reported to the ledger, numbered through all pages, also when the tracker was away', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 5_300 })
    await givenDevice(db, { appId, platform: 'android' })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    const made = async () => (await batchesOf(campaignId)).map((batch) => [batch.batch_no, batch.subscription_ids] as const)

    await fanOut(audience, { campaignId, page: 0 })
    expect(peers.reported(campaignId)).toEqual(new Map(await made()))
    const before = peers.reports.length
    // The batches of the first page are done, so the app's bulk window has room for another page.
    await db.updateTable('batches').set({ done_at: new Date() }).where('campaign_id', '=', campaignId).execute()
    peers.state.trackerIsAway = true
    await fanOut(audience, { campaignId, page: 2 })
    expect(peers.reported(campaignId).size).toBeLessThan((await made()).length)
    peers.state.trackerIsAway = false
    // The tracker has not been told of the batches of the page before. This call reads them from their rows and reports them.
    await fanOut(audience, { campaignId, page: 3 })

    const told = peers.reported(campaignId)
    expect(told).toEqual(new Map(await made()))
    expect([...told.keys()].toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    // The batches of the first page are not reported again.
    expect(
      peers.reports
        .slice(before)
        .filter((report) => report.campaignId === campaignId)[0]
        ?.batches.map(({ no }) => no),
    ).not.toContain(1)
    expect(await findFanOut(db, campaignId)).toMatchObject({ batches: 12, toldBatches: 12 })
  })

  // spec: sending/silent, tracking/skip-reasons
  test('the pushes of a silent send to browsers are skipped and counted', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const browser = await givenDevice(db, { appId, platform: 'web' })
    const campaignId = peers.givenCampaign(givenSend(appId, { silent: true, content: null }), { kind: 'all' })

    await fanOut(audience, { campaignId, page: 0 })

    expect(peers.lastReport(campaignId)?.byPlatform).toEqual({ ios: 1, android: 0, web: 1 })
    const decided = Object.fromEntries((await batchesOf(campaignId)).map((batch) => [batch.platform, batch.decided]))
    expect(decided).toEqual({
      ios: null,
      web: [
        {
          place: 0,
          subscriptionId: browser.id,
          userId: browser.userId,
          tokenVersion: 0,
          attempts: 0,
          outcome: 'skipped',
          code: 'silent_web',
        },
      ],
    })
  })

  // spec: segments/saved-stale, campaigns/failed
  test('a campaign whose segment has become invalid fails, and nothing is queued', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'segment', segment: { field: 'shoeSize', op: 'eq', value: 1 } })

    await fanOut(audience, { campaignId, page: 0 })

    expect(peers.failures.filter((failure) => failure.campaignId === campaignId)).toMatchObject([{ code: 'invalid_segment' }])
    expect(peers.lastReport(campaignId)).toBeUndefined()
    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'failed', dueAt: null })
    await clearSettled(db)
    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'failed', send: null, target: null })
  })

  test('a send to a segment with few devices on many pages goes to exactly these devices, on the bulk lane', async () => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 11_000 })
    const meant = [crowd[3], crowd[5_500], crowd[10_999]].filter((id) => id !== undefined)
    await db.updateTable('subscriptions').set({ browser: 'special' }).where('id', 'in', meant).execute()
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'segment', segment: { field: 'browser', op: 'eq', value: 'special' } })

    await fanOutAll(audience, campaignId)

    expect(await queuedIn(campaignId)).toEqual(meant.toSorted())
    expect((await batchesOf(campaignId)).map(({ lane }) => lane)).toEqual(['bulk', 'bulk', 'bulk'])
    expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 3 } })
  })

  // spec: sending/lanes
  test('a large send never has more than 16 unfinished bulk batches of a platform', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 16_000 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

    await fanOutAll(audience, campaignId)

    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'waiting', page: 2 })
    expect(await batchesOf(campaignId)).toHaveLength(10)
  })

  // spec: sending/lanes
  test('with BULK_WINDOW 40 a large send has up to 40 unfinished bulk batches of a platform', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 22_000 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

    await fanOutAll({ ...audience, bulkWindow: 40 }, campaignId)

    // A page makes up to 11 batches, so no further page begins while more than 29 are open.
    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'waiting', page: 4 })
    expect(await batchesOf(campaignId)).toHaveLength(30)
  })

  test('ten large sends of an app together never have more than 16 unfinished bulk batches of a platform', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 6_000 })
    const campaigns = Array.from({ length: 10 }, () => peers.givenCampaign(givenSend(appId), { kind: 'all' }))

    await Promise.all(campaigns.map((campaignId) => fanOut(audience, { campaignId, page: 0 })))
    await Promise.all(campaigns.map((campaignId) => fanOut(audience, { campaignId, page: 1 })))

    const open = () => db.selectFrom('batches').select('id').where('app_id', '=', appId).where('done_at', 'is', null).execute()
    expect(await open()).toHaveLength(10)
    // In each round all batches are finished, which wakes one of the sends for one page, until all sends are complete.
    for (let rounds = 0; rounds < 40; rounds += 1) {
      await db.updateTable('batches').set({ done_at: new Date(), due_at: null }).where('app_id', '=', appId).execute()
      await wakeWaiting(audience, appId)
      await Promise.all(
        campaigns.map(async (campaignId) => fanOut(audience, { campaignId, page: (await findFanOut(db, campaignId))?.page ?? 0 })),
      )
      expect((await open()).length).toBeLessThanOrEqual(16)
    }
    for (const campaignId of campaigns) expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 6_000 } })
  })

  test('a large send does not delay another’s first page: its next pages go to the queue of large sends', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 6_000 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    const pages: number[] = []
    peers.consumeBulkPages((pointer) => {
      if (pointer.campaignId === campaignId) pages.push(pointer.page)
    })

    await fanOut(audience, { campaignId, page: 0 })

    expect(await findFanOut(db, campaignId)).toMatchObject({ page: 2, lane: 'bulk', state: 'running' })
    await until(() => pages.length === 1)
    expect(pages).toEqual([2])
  })
})

describe('fan-outs in two processes of audience', async () => {
  const { startProcess, db, peers, dispatcher } = await openAudience()
  beforeAll(async () => {
    await startProcess()
    await startProcess()
  })
  /** Collects the devices of one campaign only: there may still be pointers at batches of other tests. */
  const noteReached = (campaignId: string, reached: string[]) =>
    dispatcher.finishAll((taken) => {
      if (taken.campaignId === campaignId) reached.push(...taken.recipients.map(({ subscriptionId }) => subscriptionId))
    })

  // spec: sending/lanes
  test('a small send is fanned out while ten large sends of another app wait for their batches', async () => {
    const [large, small] = [newId(), newId()]
    await givenCrowd(db, { appId: large, count: 6_000 })
    const crowd = await givenCrowd(db, { appId: small, count: 100 })
    const campaigns = Array.from({ length: 10 }, () => peers.givenCampaign(givenSend(large), { kind: 'all' }))
    await Promise.all(campaigns.map((campaignId) => peers.point(campaignId)))
    const campaignId = peers.givenCampaign(givenSend(small), { kind: 'all' })

    await peers.point(campaignId)

    await until(() => peers.lastReport(campaignId)?.fannedOut)
    await until(() => dispatcher.pointers.find((pointer) => pointer.campaignId === campaignId && pointer.lane === 'prompt'))
    expect(peers.lastReport(campaignId)?.byPlatform.ios).toBe(crowd.length)
    const waits = async () =>
      (await Promise.all(campaigns.map((id) => findFanOut(db, id)))).every((row) => row && row.state !== 'fanned_out')
    await until(waits)
    const open = await db.selectFrom('batches').select('id').where('app_id', '=', large).where('done_at', 'is', null).execute()
    expect(open.length).toBeLessThanOrEqual(16)
  })

  test('when two processes share a fan-out of 20,000 devices, each device gets exactly one push', async () => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 20_000 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    const reached: string[] = []
    noteReached(campaignId, reached)

    await peers.point(campaignId)

    await until(() => reached.length >= crowd.length, { withinMs: 25_000 })
    await until(() => peers.lastReport(campaignId)?.fannedOut)
    expect(reached.toSorted()).toEqual(crowd)
    expect(peers.lastReport(campaignId)?.byPlatform).toEqual({ ios: 20_000, android: 0, web: 0 })
    await until(
      async () =>
        (await db.selectFrom('batches').select('id').where('done_at', 'is', null).where('campaign_id', '=', campaignId).execute())
          .length === 0,
    )
  })

  test('a campaign at which two pointers are published is sent to each device once', async () => {
    const appId = newId()
    const device = await givenDevice(db, { appId })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    const reached: string[] = []
    noteReached(campaignId, reached)

    await Promise.all([peers.point(campaignId), peers.point(campaignId)])

    await until(() => reached.includes(device.id))
    await until(() => peers.started.filter((id) => id === campaignId).length === 2)
    const pointers: BatchPointer[] = dispatcher.pointers.filter((pointer) => pointer.campaignId === campaignId)
    expect(new Set(pointers.map(({ batchId }) => batchId)).size).toBe(1)
    expect(reached).toEqual([device.id])
  })
})
