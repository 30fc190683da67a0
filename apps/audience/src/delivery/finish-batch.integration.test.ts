import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dropCampaigns } from '../sends/drop-campaigns.ts'
import { fanOut } from '../sends/fan-out.ts'
import { registerSubscription } from '../people/register-subscription.ts'
import { clearSettled } from '../sends/store/settled.ts'
import { findFanOut } from '../sends/store/fan-outs.ts'
import { markTold } from '../sends/store/told.ts'
import { asked, finished, retried, withBatches } from '../testing/batches.ts'
import { givenAsking, givenEndpoint } from '../testing/play-ledger.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const rig = await openAudience()
const { audience, db, peers } = rig
const { take, takeOne, finish, givenBatch, subscription } = withBatches(rig)

describe('finishing a batch', () => {
  test('when a dispatcher finishes a batch twice, also in one call, the second time changes nothing', async () => {
    const appId = newId()
    const device = await givenDevice(db, { appId })
    const batchId = await givenBatch(appId)
    const { takes } = await takeOne(batchId)
    const report = finished(batchId, takes, {
      retries: [retried({ subscriptionId: device.id, userId: device.userId }, { tries: 1, retryInMs: 3_600_500 })],
    })

    expect(await finish(report, { ...report })).toEqual(['done', 'lost'])
    expect(await finish(report)).toEqual(['lost'])

    expect(await db.selectFrom('batches').select('id').where('retry_of', '=', batchId).execute()).toHaveLength(1)
  })

  test('of several batches finished in one call, one that another dispatcher has stays open; a repeat changes nothing', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const batchIds = [await givenBatch(appId), await givenBatch(appId)]
    const [one, other] = await Promise.all(batchIds.map((batchId) => takeOne(batchId)))
    if (!one || !other) throw new Error('two batches')
    const answers = [{ environment: 'production' as const, seen: 's1', code: null }]
    const report = finished(one.batchId, one.takes, { answers, credentialsVersion: 1 })

    expect(await finish(report, finished(other.batchId, other.takes + 1, { answers }), { ...report })).toEqual(['done', 'lost', 'lost'])

    const rows = await db.selectFrom('batches').select(['id', 'done_at']).where('id', 'in', batchIds).execute()
    expect(rows.filter(({ done_at }) => done_at !== null).map(({ id }) => id)).toEqual([one.batchId])
    const circuit = await db.selectFrom('circuits').select('answers').where('app_id', '=', appId).executeTakeFirst()
    expect(circuit?.answers).toBe('s')
  })

  // spec: providers/apns-environments
  test('audience remembers the APNs environment that accepted a token and, for lastNotifiedAt, that the device was sent to', async () => {
    const appId = newId()
    await givenAsking(db, appId)
    const device = await givenDevice(db, { appId })
    const batchIds = [await givenBatch(appId), await givenBatch(appId)]
    const taken = await Promise.all(batchIds.map((batchId) => takeOne(batchId)))

    const environments = [{ subscriptionId: device.id, environment: 'sandbox' as const }]
    await finish(...taken.map(({ batchId, takes }) => finished(batchId, takes, { environments })))

    expect((await subscription(device.id)).apns_environment).toBe('sandbox')
    const noted = await db.selectFrom('last_notified').selectAll().where('subscription_id', '=', device.id).execute()
    expect(noted).toHaveLength(1)
  })

  test('for lastNotifiedAt a device of a finished batch counts as sent to unless deleted or reported otherwise', async () => {
    const appId = newId()
    await givenAsking(db, appId)
    const devices = await givenCrowd(db, { appId, count: 6 })
    const [batchId, otherId] = [await givenBatch(appId), await givenBatch(appId)]
    const [taken, other] = [await takeOne(batchId), await takeOne(otherId)]
    const [skipped, dead, back, , , last] = taken.recipients
    if (!skipped || !dead || !back || !last) throw new Error('too few recipients')
    await db.deleteFrom('subscriptions').where('id', '=', last.subscriptionId).execute()
    const everyone = taken.recipients.map(({ subscriptionId }) => subscriptionId)
    expect(everyone).toEqual(everyone.toSorted())

    await finish(
      finished(batchId, taken.takes, {
        unsent: [skipped.subscriptionId],
        dead: [
          {
            ...{ subscriptionId: dead.subscriptionId, userId: dead.userId },
            tokenVersion: 1,
            agoMs: 0,
            deadSince: null,
            code: 'token_dead',
          },
        ],
        retries: [retried(back)],
      }),
      finished(otherId, other.takes, { unsent: everyone.slice(1) }),
    )

    const noted = await db.selectFrom('last_notified').select('subscription_id').where('subscription_id', 'in', devices).execute()
    expect(noted.map(({ subscription_id }) => subscription_id).toSorted()).toEqual([everyone[0], everyone[3], everyone[4]])
  })

  // spec: providers/dead-token, webhooks/event-invalidated
  test('a device with a dead token is invalidated once and announced once, however many sends found it dead', async () => {
    const appId = newId()
    await givenEndpoint(db, appId)
    const device = await givenDevice(db, { appId })
    const batchIds = [await givenBatch(appId), await givenBatch(appId), await givenBatch(appId)]
    const [first, second, third] = await Promise.all(batchIds.map((batchId) => takeOne(batchId)))
    if (!first || !second || !third) throw new Error('three batches')
    const dead = [{ subscriptionId: device.id, userId: device.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }]

    await finish(finished(first.batchId, first.takes, { dead }), finished(second.batchId, second.takes, { dead }))
    await finish(finished(third.batchId, third.takes, { dead }))

    expect((await subscription(device.id)).invalidated_at).not.toBeNull()
    await until(() => peers.events.some(({ events }) => events.some(({ subscriptionId }) => subscriptionId === device.id)))
    const announced = await db.selectFrom('announcements').selectAll().execute()
    const events = announced.flatMap(({ body }) => body).filter(({ subscriptionId }) => subscriptionId === device.id)
    expect(events).toMatchObject([
      {
        type: 'subscription.invalidated',
        appId,
        campaignId: first.campaignId,
        userId: device.userId,
        platform: 'ios',
        data: { code: 'token_dead' },
      },
    ])
  })

  // spec: webhooks/event-test, administration/test-send-exempt
  test('a device whose token a test finds dead is invalidated, and its event says that it was a test', async () => {
    const appId = newId()
    await givenEndpoint(db, appId)
    const device = await givenDevice(db, { appId })
    const { batchId, takes, send } = await takeOne(await givenBatch(appId, givenSend(appId, { test: true })))
    expect(send?.test).toBe(true)
    const dead = [{ subscriptionId: device.id, userId: device.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }]

    await finish(finished(batchId, takes, { dead, test: true }))

    expect((await subscription(device.id)).invalidated_at).not.toBeNull()
    const announced = await db.selectFrom('announcements').selectAll().execute()
    const events = announced.flatMap(({ body }) => body).filter((event) => event.appId === appId)
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'subscription.invalidated', data: { code: 'token_dead', test: true } },
    ])
  })

  test('a device with a dead token is invalidated also when its app has no webhook endpoint', async () => {
    const appId = newId()
    const device = await givenDevice(db, { appId })
    const { batchId, takes } = await takeOne(await givenBatch(appId))
    const dead = [{ subscriptionId: device.id, userId: device.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }]

    await finish(finished(batchId, takes, { dead }))

    expect((await subscription(device.id)).invalidated_at).not.toBeNull()
    const announced = await db.selectFrom('announcements').selectAll().execute()
    expect(announced.flatMap(({ body }) => body).filter((event) => event.appId === appId)).toEqual([])
  })

  // spec: providers/dead-spares-the-new
  test('a device whose token changed, or that registered again after the push, is not invalidated', async () => {
    const appId = newId()
    const [changed, returned] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
    const batchId = await givenBatch(appId)
    const { takes } = await takeOne(batchId)
    await db.updateTable('subscriptions').set({ token_version: 2 }).where('id', '=', changed.id).execute()
    const dead = (id: string, agoMs: number) => {
      return { subscriptionId: id, userId: newId(), tokenVersion: 1, agoMs, deadSince: null, code: 'token_dead' }
    }

    await finish(finished(batchId, takes, { dead: [dead(changed.id, 0), dead(returned.id, 60_000)] }))

    expect((await subscription(changed.id)).invalidated_at).toBeNull()
    expect((await subscription(returned.id)).invalidated_at).toBeNull()
  })

  // spec: providers/dead-spares-the-new
  test('even with a provider’s clock wrong, a dead token does not invalidate a device registered after the provider was asked', async () => {
    const appId = newId()
    const [early, late] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
    const batchId = await givenBatch(appId)
    const { takes } = await takeOne(batchId)
    // Both devices registered again half a minute ago. The provider was asked about one of them a minute ago, and about the other just now.
    await sql`update subscriptions set registered_at = now() - interval '30 seconds' where app_id = ${appId}`.execute(db)
    const inFarFuture = '2100-01-01T00:00:00.000Z'
    const dead = (id: string, agoMs: number) => {
      return { subscriptionId: id, userId: newId(), tokenVersion: 1, agoMs, deadSince: inFarFuture, code: 'token_dead' }
    }

    await finish(finished(batchId, takes, { dead: [dead(early.id, 60_000), dead(late.id, 0)] }))

    expect((await subscription(early.id)).invalidated_at).toBeNull()
    expect((await subscription(late.id)).invalidated_at).not.toBeNull()
  })

  // spec: providers/dead-spares-the-new
  test('a late answer that a token is dead does not invalidate a device that registered again', async () => {
    const appId = newId()
    const token = newId()
    const registered = await registerSubscription({ db }, { appId, subscription: { platform: 'ios', token } })
    const batchId = await givenBatch(appId)
    const { takes, recipients } = await takeOne(batchId)
    await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', registered.id).execute()
    await registerSubscription({ db }, { appId, subscription: { platform: 'ios', token } })

    const tokenVersion = recipients[0]?.tokenVersion ?? 0
    await finish(
      finished(batchId, takes, {
        dead: [{ subscriptionId: registered.id, userId: registered.userId, tokenVersion, agoMs: 0, deadSince: null, code: 'token_dead' }],
      }),
    )

    expect((await subscription(registered.id)).invalidated_at).toBeNull()
  })

  test('pushes tried again get a new batch with the old one’s lane, day, queueing time and campaign, and wait', async () => {
    const appId = newId()
    const made = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
    const devices = made.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const batchId = await givenBatch(appId)
    const { takes } = await takeOne(batchId)

    const answered = { code: 'network_error' as const, providerCode: 'ERR_HTTP2_ERROR' }
    const retries = devices.map(({ id, userId }, place) =>
      retried({ place, subscriptionId: id, userId }, { ...answered, tries: 1, retryInMs: 3_600_000 }),
    )
    await finish(finished(batchId, takes, { retries }))

    const [original, retry] = await Promise.all([
      db.selectFrom('batches').selectAll().where('id', '=', batchId).executeTakeFirstOrThrow(),
      db.selectFrom('batches').selectAll().where('retry_of', '=', batchId).executeTakeFirstOrThrow(),
    ])
    const kept = (row: typeof original) => [row.app_id, row.campaign_id, row.platform, row.lane, row.day, row.queued_at]
    expect(kept(retry)).toEqual(kept(original))
    expect(retry).toMatchObject({ batch_no: original.batch_no, places: [0, 1] })
    expect(retry).toMatchObject({ tries: 1, takes: 0, subscription_ids: devices.map(({ id }) => id).toSorted() })
    // The time of the retry is computed from the database's clock, not from the dispatcher's.
    expect(retry.not_before?.getTime()).toBe((original.done_at?.getTime() ?? 0) + 3_600_000)
    expect(retry.due_at).toEqual(retry.not_before)
    expect([retry.last_code, retry.last_provider_code]).toEqual(['network_error', 'ERR_HTTP2_ERROR'])
    expect(await take(asked(retry.id))).toEqual([{ answer: 'held' }])
  })

  test('a push keeps the number of its first batch and its place there, however often it is tried again', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 6 })
    const first = await takeOne(await givenBatch(appId))
    const later = async (taken: typeof first, which: (place: number) => boolean) => {
      const retries = taken.recipients.filter(({ place }) => which(place)).map((push) => retried(push, { tries: 1, retryInMs: 0 }))
      await finish(finished(taken.batchId, taken.takes, { retries }))
      const { id } = await db.selectFrom('batches').select('id').where('retry_of', '=', taken.batchId).executeTakeFirstOrThrow()
      return takeOne(id)
    }
    const names = ({ no, recipients }: typeof first) => recipients.map(({ place, subscriptionId }) => [no, place, subscriptionId])

    const second = await later(first, (place) => place !== 0)
    const third = await later(second, (place) => place % 2 === 0)

    expect(names(second)).toEqual(names(first).slice(1))
    expect(names(third)).toEqual([names(first)[2], names(first)[4]])
  })

  test('a fan-out that waits for its app’s unfinished bulk batches goes on when enough of them are finished', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 16_000 })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    await fanOut(audience, { campaignId, page: 0 })
    await fanOut(audience, { campaignId, page: 2 })
    const batches = await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).execute()
    expect(batches).toHaveLength(10)

    for (const { id } of batches.slice(0, 4)) await finish(finished(id, (await takeOne(id)).takes))
    expect((await findFanOut(db, campaignId))?.state).toBe('waiting')
    for (const { id } of batches.slice(4, 5)) await finish(finished(id, (await takeOne(id)).takes))

    expect((await findFanOut(db, campaignId))?.state).toBe('running')
  })
})

test('a settled campaign’s fan-out keeps its row without content and target, so a late pointer sends nothing twice', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const batchId = await givenBatch(appId)
  const { campaignId, takes } = await takeOne(batchId)
  await finish(finished(batchId, takes))

  await dropCampaigns(rig, [{ campaignIds: [campaignId] }])
  await dropCampaigns(rig, [{ campaignIds: [campaignId] }])
  await clearSettled(db)
  await fanOut(audience, { campaignId, page: 0 })
  await fanOut(audience, { campaignId, page: 2 })

  expect(await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).execute()).toEqual([])
  const row = await findFanOut(db, campaignId)
  expect(row).toMatchObject({ send: null, target: null, settings: defaultSettings, dueAt: null })
  expect(row?.settledAt).not.toBeNull()
  expect(await take(asked(batchId))).toEqual([{ answer: 'gone' }])
})

test('a batch that is finished after its campaign was settled still invalidates devices with dead tokens', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const batchId = await givenBatch(appId)
  const { campaignId, takes } = await takeOne(batchId)

  await dropCampaigns(rig, [{ campaignIds: [campaignId] }])
  expect((await findFanOut(db, campaignId))?.send).not.toBeNull()
  const dead = [{ subscriptionId: device.id, userId: device.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }]
  expect(await finish(finished(batchId, takes, { dead }))).toEqual(['done'])

  expect((await subscription(device.id)).invalidated_at).not.toBeNull()
  await clearSettled(db)
  expect(await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).execute()).toEqual([])
  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, target: null })
})

// spec: campaigns/failed
test('pushes that were queued before the fan-out of their send failed still go out', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const batchId = await givenBatch(appId)
  const [row] = await db.selectFrom('batches').select('campaign_id').where('id', '=', batchId).execute()
  const campaignId = row?.campaign_id ?? ''
  await db
    .updateTable('fan_outs')
    .set((eb) => ({ state: 'failed', page: eb('page', '+', 1) }))
    .where('campaign_id', '=', campaignId)
    .execute()
  const failed = await findFanOut(db, campaignId)
  if (failed) await markTold(db, failed)

  await clearSettled(db)
  const { recipients, takes } = await takeOne(batchId)
  expect(recipients).toHaveLength(1)
  expect(await finish(finished(batchId, takes))).toEqual(['done'])

  await clearSettled(db)
  expect(await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).execute()).toEqual([])
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'failed', send: null, dueAt: null })
})
