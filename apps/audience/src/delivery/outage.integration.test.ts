import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fanOut } from '../sends/fan-out.ts'
import { hasRoom } from '../sends/store/bulk-window.ts'
import { findFanOut } from '../sends/store/fan-outs.ts'
import { heard, used, withCircuits } from '../testing/circuits.ts'
import { givenSend, openAudience } from '../testing/rig.ts'

const rig = await openAudience()
const { audience, db, peers } = rig
const { takeOne, finish, givenBatch, givenBatches, givenPhones, takeWith, circuitOf, openBatches, letTimePass } = withCircuits(rig)

describe('outages of a provider', () => {
  const circuitIs = async (appId: string) => (await circuitOf(appId))?.state
  const held = (appId: string) => openBatches(appId).then((rows) => rows.filter(({ held_since }) => held_since !== null))

  // spec: providers/away, providers/away-over
  test('when a provider answers no push of a batch, the circuit opens and none fails; after an answer all go', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 30)
    const batchId = await givenBatch(appId)
    await sql`update batches set tries = 4 where id = ${batchId}`.execute(db)

    await finish(heard(await takeOne(batchId, used()), ['u']))

    expect(await circuitOf(appId)).toMatchObject({ state: 'open', code: 'network_error' })
    const [retry, ...others] = await openBatches(appId)
    expect(others).toEqual([])
    expect(retry).toMatchObject({ subscription_ids: crowd, tries: 4, decided: null, last_code: 'network_error' })
    expect(retry?.last_provider_code).toBe('ECONNREFUSED')

    // 90,000 s is longer than pushes are held while credentials are refused.
    expect(await takeWith(retry?.id ?? '')).toBe('held')
    await letTimePass(appId, 90_000)
    const probe = await takeOne(retry?.id ?? '', used())
    expect([probe.probe, probe.recipients.length]).toEqual([true, 30])
    await finish(heard(probe, ['u']))
    expect(await circuitIs(appId)).toBe('open')
    const back = await openBatches(appId)
    expect(back.flatMap(({ subscription_ids }) => subscription_ids).toSorted()).toEqual(crowd)
    expect(back.every(({ tries, decided }) => tries === 4 && decided === null)).toBe(true)

    for (const { id } of back.slice(0, 1)) expect(await takeWith(id)).toBe('held')
    await letTimePass(appId, 6)
    const [next] = await held(appId)
    await finish(heard(await takeOne(next?.id ?? '', used()), ['s']))

    expect(await circuitIs(appId)).toBe('closed')
    const rest = await openBatches(appId)
    expect(rest.flatMap(({ subscription_ids }) => subscription_ids)).toHaveLength(29)
    expect(rest.every(({ due_at }) => due_at !== null && due_at <= new Date())).toBe(true)
    for (const { id } of rest) expect(await takeWith(id)).toBe('taken')
  })

  // spec: providers/away-one-token
  test('a push that gets no answer at five tries fails when the provider answers other pushes', async () => {
    const appId = newId()
    await givenPhones(appId, 2)
    let [batchId] = await givenBatches(appId)
    for (let tries = 0; tries < 5; tries += 1) {
      const taken = await takeOne(batchId ?? '', used())
      const recipients = taken.recipients.slice(0, 1)
      const report = heard({ ...taken, recipients }, ['u'])
      const answers = report.answers.map((one) => ({ ...one, seen: 'us' }))
      await finish({ ...report, answers })
      await letTimePass(appId, 2)
      batchId = (await openBatches(appId))[0]?.id
    }

    expect(await circuitIs(appId)).toBe('closed')
    expect(await takeOne(batchId ?? '', used())).toMatchObject({
      decided: [{ outcome: 'failed', code: 'network_error', attempts: 5, providerCode: 'ECONNREFUSED' }],
    })
  })

  test('when two pushes get no answer at five tries, and no other is answered, the circuit opens and neither fails', async () => {
    const appId = newId()
    const phones = await givenPhones(appId, 2)
    let [batchId] = await givenBatches(appId)
    for (let tries = 0; tries < 5; tries += 1) {
      await finish(heard(await takeOne(batchId ?? '', used()), ['u', 'u']))
      await letTimePass(appId, 2)
      batchId = (await openBatches(appId))[0]?.id
    }

    expect(await circuitIs(appId)).toBe('open')
    expect(await openBatches(appId)).toMatchObject([{ subscription_ids: phones.toSorted(), tries: 4, decided: null }])
  })

  test('a single push without an answer at five tries fails even so: its token may be the reason', async () => {
    const appId = newId()
    await givenPhones(appId, 1)
    let [batchId] = await givenBatches(appId)
    for (let tries = 0; tries < 5; tries += 1) {
      await finish(heard(await takeOne(batchId ?? '', used()), ['u']))
      await letTimePass(appId, 2)
      batchId = (await openBatches(appId))[0]?.id
    }

    expect(await circuitIs(appId)).toBe('closed')
    expect(await takeOne(batchId ?? '', used())).toMatchObject({ decided: [{ outcome: 'failed', code: 'network_error', attempts: 5 }] })
  })

  // spec: providers/away-waits
  test('while a provider is away a push is skipped when its ttl ends; with ttl 0 it is tried once', async () => {
    const appId = newId()
    await givenPhones(appId, 30)
    await finish(heard(await takeOne(await givenBatch(appId), used()), ['u']))
    const short = await givenBatch(appId, givenSend(appId, { ttl: 60 }))
    expect(await takeWith(short)).toBe('held')
    await sql`update batches set queued_at = now() - interval '61 seconds', not_before = now() where id = ${short}`.execute(db)

    const { recipients, decided } = await takeOne(short, used())
    expect([recipients.length, decided.length]).toEqual([0, 30])
    expect(new Set(decided.map(({ outcome, code }) => `${outcome} ${code}`))).toEqual(new Set(['skipped expired']))

    const now = await takeOne(await givenBatch(appId, givenSend(appId, { ttl: 0 })), used())
    expect([now.recipients.length, now.decided.length, now.probe]).toEqual([30, 0, false])
  })

  test('while a provider is away a send stops making pages at too many held pushes, unless another platform takes some', async () => {
    const appId = newId()
    await givenPhones(appId, 11_000)
    await db
      .insertInto('circuits')
      .values({
        ...{ app_id: appId, platform: 'android', environment: '', state: 'open', code: 'timeout', credentials_version: 1 },
        probe_at: sql<Date>`now() + interval '5 minutes'`,
      })
      .execute()
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
    await fanOut(audience, { campaignId, page: 0 })
    const batches = await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).execute()
    expect(batches).toHaveLength(10)
    for (const { id } of batches) expect(await takeWith(id)).toBe('held')

    await fanOut(audience, { campaignId, page: 2 })
    expect((await findFanOut(db, campaignId))?.state).toBe('waiting')

    await givenPhones(appId, 1, 'ios')
    const room = (pushes: Record<Platform, number>) =>
      db.transaction().execute((trx) => hasRoom({ db: trx, bulkWindow: 16 }, appId, pushes))
    expect(await room({ ios: 0, android: 5_000, web: 0 })).toBe(false)
    expect(await room({ ios: 2_500, android: 2_500, web: 0 })).toBe(true)
    expect(await room({ ios: 0, android: 0, web: 0 })).toBe(true)
  })

  // spec: providers/away-over
  test('when a provider is back all batches held for it are released, also more than 1,000', async () => {
    const appId = newId()
    await givenPhones(appId, 30)
    const batchId = await givenBatch(appId)
    await finish(heard(await takeOne(batchId, used()), ['u']))
    await sql`
      insert into batches (id, app_id, campaign_id, platform, lane, day, batch_no, subscription_ids, user_ids, held_since, not_before, due_at)
      select lpad(to_hex(n), 8, '0') || substr(b.id, 9, 16), b.app_id, b.campaign_id, b.platform, b.lane, b.day, b.batch_no, b.subscription_ids[:1], b.user_ids[:1],
        now(), now() + interval '30 seconds', now() + interval '30 seconds'
      from batches b, generate_series(1, 1200) as n where b.id = ${batchId}`.execute(db)
    const [first] = (await openBatches(appId)).filter(({ retry_of }) => retry_of !== null)
    await sql`update circuits set probe_at = now() where app_id = ${appId}`.execute(db)

    await finish(heard(await takeOne(first?.id ?? '', used()), ['s']))

    await until(async () => (await held(appId)).length === 0)
    expect((await openBatches(appId)).every(({ due_at }) => due_at !== null && due_at <= new Date())).toBe(true)
  })
})
