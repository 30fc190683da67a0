import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { renewBatch } from './take-batch.ts'
import { asked, finished, retried } from '../testing/batches.ts'
import { used, withCircuits } from '../testing/circuits.ts'
import { givenCrowd, givenDevice, givenSend, openAudience, type Taken } from '../testing/rig.ts'

const rig = await openAudience()
const { db } = rig
const { take, takeOne, takeWith, finish, givenBatch, givenBatches, givenOpen, givenPhones, openBatches, expireLease, subscription } =
  withCircuits(rig)

describe('taking a batch', () => {
  test('of two dispatchers that ask for a batch one gets it and the other is answered busy', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const batchId = await givenBatch(appId)

    const apart = await Promise.all([take(asked(batchId)), take(asked(batchId))])
    expect(
      apart
        .flat()
        .map(({ answer }) => answer)
        .toSorted(),
    ).toEqual(['busy', 'taken'])

    await expireLease(batchId)
    const inOneGroup = await take(asked(batchId), asked(batchId))
    expect(inOneGroup.map(({ answer }) => answer)).toEqual(['taken', 'busy'])
  })

  // spec: sending/recipients-now
  test('a dispatcher that takes a batch gets the devices as they are now, and the send unless it has it', async () => {
    const appId = newId()
    const phone = await givenDevice(db, { appId })
    const browser = await givenDevice(db, { appId, platform: 'web' })
    await db.updateTable('subscriptions').set({ apns_environment: 'sandbox', token_version: 3 }).where('id', '=', phone.id).execute()
    const send = givenSend(appId)
    const batchIds = await givenBatches(appId, send)

    const [one, other] = await take(...batchIds.map((batchId) => asked(batchId, { knowsSend: true })))

    expect([one, other].map((answer) => answer?.answer === 'taken' && answer.send)).toEqual([null, null])
    const recipients = [one, other].flatMap((answer) => (answer?.answer === 'taken' ? answer.recipients : []))
    expect(recipients.find(({ subscriptionId }) => subscriptionId === phone.id)).toEqual({
      place: 0,
      subscriptionId: phone.id,
      userId: phone.userId,
      address: `address-of-${phone.id}`,
      keys: null,
      tokenVersion: 3,
      environment: 'sandbox',
      language: null,
      timezone: null,
      user: {},
      tags: {},
      subscription: {},
    })
    expect(recipients.find(({ subscriptionId }) => subscriptionId === browser.id)).toMatchObject({
      address: `https://push.example/address-of-${browser.id}`,
      keys: { p256dh: 'p256dh', auth: 'auth' },
    })
    await Promise.all(batchIds.map(expireLease))
    expect((await takeOne(batchIds[0] ?? '')).send).toEqual({ ...send, defaultTimezone: 'UTC' })
  })

  // spec: sending/secrets
  test('a dispatcher gets only the fields of a user that the texts of the send name', async () => {
    const appId = newId()
    const { userId } = await givenDevice(db, { appId, externalId: 'ann' })
    await db
      .updateTable('users')
      .set({ tags: JSON.stringify({ name: 'Ann', vip: true, secret: 'x' }), language: 'de', country: 'DE' })
      .where('id', '=', userId)
      .execute()
    const content = {
      _default: 'en',
      en: { title: 'Hi {{ tags.name }} {{ tags.missing }}', body: '{{ user.country }} {{ subscription.platform }} {{ tags.vip }}' },
    }

    const { recipients } = await takeOne(await givenBatch(appId, givenSend(appId, { content })))

    expect(recipients).toMatchObject([
      { language: null, user: { country: 'DE' }, tags: { name: 'Ann', vip: true }, subscription: { platform: 'ios' } },
    ])
    expect(JSON.stringify(recipients)).not.toMatch(/secret|ann"/)
  })

  // spec: tracking/skip-reasons, sending/recipients-now
  test('a device that was deleted, changed users, opted out or was invalidated after queueing is skipped', async () => {
    const appId = newId()
    const [kept, deleted, sold, out, dead] = await Promise.all(Array.from({ length: 5 }, () => givenDevice(db, { appId })))
    if (!kept || !deleted || !sold || !out || !dead) throw new Error('five devices')
    const batchId = await givenBatch(appId)
    await db.deleteFrom('subscriptions').where('id', '=', deleted.id).execute()
    await db.updateTable('subscriptions').set({ user_id: kept.userId }).where('id', '=', sold.id).execute()
    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', '=', out.id).execute()
    await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', dead.id).execute()

    const { recipients, decided } = await takeOne(batchId)

    expect(recipients.map(({ subscriptionId }) => subscriptionId)).toEqual([kept.id])
    expect(Object.fromEntries(decided.map(({ subscriptionId, code }) => [subscriptionId, code]))).toEqual({
      [deleted.id]: 'deleted',
      [sold.id]: 'owner_changed',
      [out.id]: 'opted_out',
      [dead.id]: 'invalidated',
    })
    expect(decided.find(({ subscriptionId }) => subscriptionId === sold.id)?.userId).toBe(sold.userId)
  })

  test('a batch whose outcomes are already decided comes with the outcome of every push', async () => {
    const appId = newId()
    const browser = await givenDevice(db, { appId, platform: 'web' })

    const taken = await takeOne(await givenBatch(appId, givenSend(appId, { silent: true, content: null })))

    expect(taken.recipients).toEqual([])
    expect(taken.decided).toMatchObject([{ subscriptionId: browser.id, outcome: 'skipped', code: 'silent_web' }])
  })

  test('a batch over 256 kB is given in parts, each recipient once, only to the dispatcher that took it', async () => {
    const appId = newId()
    const crowd = await givenCrowd(db, { appId, count: 300 })
    await sql`update subscriptions set address = address || repeat('x', 3900) where app_id = ${appId}`.execute(db)
    const batchId = await givenBatch(appId)

    const parts: Taken[] = [await takeOne(batchId)]
    for (let last = parts[0]; last?.more; last = parts.at(-1)) {
      const from = parts.flatMap(({ recipients }) => recipients).length
      const [answer] = await take(asked(batchId, { from, takes: last.takes }))
      if (answer?.answer === 'taken') parts.push(answer)
    }

    expect(parts.length).toBeGreaterThan(3)
    expect(parts.flatMap(({ recipients }) => recipients).map(({ subscriptionId }) => subscriptionId)).toEqual(crowd)
    expect(await take(asked(batchId, { from: 10, takes: 99 }))).toEqual([{ answer: 'gone' }])
  })

  test('a batch that is held, done or unknown cannot be taken', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const [held, done] = [await givenBatch(appId), await givenBatch(appId)]
    await db
      .updateTable('batches')
      .set({ not_before: sql<Date>`now() + interval '1 hour'` })
      .where('id', '=', held)
      .execute()
    const { takes } = await takeOne(done)
    await finish(finished(done, takes))

    expect((await take(asked(held), asked(done), asked(newId()))).map(({ answer }) => answer)).toEqual(['held', 'gone', 'gone'])
  })

  // spec: sending/ttl-counts
  test('how much of a push’s ttl is used up counts from its queueing, by the database’s clock', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const batchId = await givenBatch(appId)
    await db
      .updateTable('batches')
      .set({ queued_at: sql<Date>`now() - interval '90 seconds'` })
      .where('id', '=', batchId)
      .execute()

    const { elapsedMs } = await takeOne(batchId)

    expect(elapsedMs).toBeGreaterThanOrEqual(90_000)
    expect(elapsedMs).toBeLessThan(3_600_000)
  })
})

describe('leases of batches', () => {
  // spec: sending/take-over
  test('a batch whose dispatcher died is taken by another dispatcher, and a late finish of the first one changes nothing', async () => {
    const appId = newId()
    const device = await givenDevice(db, { appId })
    const batchId = await givenBatch(appId)
    const old = await takeOne(batchId)
    await expireLease(batchId)

    const now = await takeOne(batchId)

    expect([old.takes, now.takes]).toEqual([1, 2])
    expect(
      await renewBatch({ db }, [
        { batchId, takes: 1 },
        { batchId, takes: 2 },
      ]),
    ).toEqual([{ held: false }, { held: true }])
    const dead = [{ subscriptionId: device.id, userId: device.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }]
    expect(await finish(finished(batchId, 1, { dead }))).toEqual(['lost'])
    expect((await subscription(device.id)).invalidated_at).toBeNull()
    expect(await finish(finished(batchId, 2))).toEqual(['done'])
  })

  test('a batch whose lease is renewed is not given to another dispatcher', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const batchId = await givenBatch(appId)
    const { takes } = await takeOne(batchId)
    await expireLease(batchId)

    expect(await renewBatch({ db }, [{ batchId, takes }])).toEqual([{ held: true }])

    expect(await take(asked(batchId))).toEqual([{ answer: 'busy' }])
  })
})

describe('batches of paused and cancelled sends', () => {
  const setFlow = (campaignId: string, flow: 'running' | 'paused' | 'cancelled') =>
    db.updateTable('fan_outs').set({ flow }).where('campaign_id', '=', campaignId).execute()
  const campaignOf = async (batchId: string) =>
    (await db.selectFrom('batches').select('campaign_id').where('id', '=', batchId).executeTakeFirstOrThrow()).campaign_id

  // spec: campaigns/pause
  test('the pushes and retries of a paused send are held until it is resumed', async () => {
    const appId = newId()
    await givenPhones(appId, 1)
    const batchId = await givenBatch(appId)
    const campaignId = await campaignOf(batchId)
    await setFlow(campaignId, 'paused')
    expect(await takeWith(batchId)).toBe('held')
    await setFlow(campaignId, 'running')
    const { takes, recipients } = await takeOne(batchId, used())
    const retries = recipients.map((recipient) => retried(recipient, { tries: 1 }))
    await finish(finished(batchId, takes, { retries }))
    const [retry] = await openBatches(appId)

    await setFlow(campaignId, 'paused')
    expect(await takeWith(retry?.id ?? '')).toBe('held')
    await setFlow(campaignId, 'running')
    expect(await takeWith(retry?.id ?? '')).toBe('taken')
  })

  // spec: campaigns/cancel-under-way, tracking/skip-reasons
  test('every push of a cancelled send that has no outcome yet is skipped, also while its circuit is open', async () => {
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 5)
    const batchId = await givenBatch(appId)
    await setFlow(await campaignOf(batchId), 'cancelled')

    const taken = await takeOne(batchId, used())

    expect(taken.recipients).toEqual([])
    expect(taken.decided).toHaveLength(6)
    expect(taken.decided.every(({ outcome, code, attempts }) => outcome === 'skipped' && code === 'cancelled' && attempts === 0)).toBe(true)
    expect(await finish(finished(batchId, taken.takes))).toEqual(['done'])
    expect((await db.selectFrom('batches').select('id').where('retry_of', '=', batchId).execute()).length).toBe(0)
  })
})
