import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { describe, expect, test } from 'vitest'
import { heard, type Letter, used, withCircuits } from '../testing/circuits.ts'
import { givenEndpoint } from '../testing/play-ledger.ts'
import { givenDevice, givenSend, openAudience, type Taken } from '../testing/rig.ts'

const rig = await openAudience()
const { db, dispatcher } = rig
const { takeOne, finish, givenBatch, givenPhones, takeWith, circuitOf, invalidated, openBatches, letTimePass } = withCircuits(rig)

describe('the mass guard', () => {
  // spec: providers/guard-opens
  test('when all tokens of a batch are refused the circuit opens, no device is invalidated and no try counts', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 500)
    const taken = await takeOne(await givenBatch(appId), used())

    expect(await finish(heard(taken, ['g']))).toEqual(['done'])

    expect(await invalidated(appId)).toEqual([])
    const circuit = await circuitOf(appId)
    expect(circuit).toMatchObject({ state: 'open', code: 'token_invalid', credentials_version: 1 })
    expect(circuit?.answers.replaceAll(/[0-9a-f]{6}/g, '')).toBe('g'.repeat(200))
    const [retry, ...others] = await openBatches(appId)
    expect(others).toEqual([])
    expect(retry).toMatchObject({ retry_of: taken.batchId, subscription_ids: crowd, tries: 0, decided: null })

    await letTimePass(appId, 2)
    expect(await takeWith(retry?.id ?? '')).toBe('held')
    await letTimePass(appId, 30)
    const probe = await takeOne(retry?.id ?? '', used())
    expect([probe.probe, probe.recipients.length]).toEqual([true, 500])
    await finish(heard(probe, ['s']))

    expect(await circuitOf(appId)).toMatchObject({ state: 'closed', code: null, probe_at: null })
    const rest = await openBatches(appId)
    expect(rest.flatMap(({ subscription_ids }) => subscription_ids)).toEqual(crowd.slice(1))
    expect(rest.every(({ due_at, held_since }) => due_at !== null && due_at <= new Date() && held_since === null)).toBe(true)
    expect(await takeWith(rest[0]?.id ?? '')).toBe('taken')
  })

  // spec: providers/guard-few
  test('when 19 tokens are refused among many sends their pushes fail, and each device is invalidated and announced once', async () => {
    const appId = newId()
    await givenEndpoint(db, appId)
    const crowd = await givenPhones(appId, 200)
    const taken = await takeOne(await givenBatch(appId), used())
    const letters = crowd.map((_, index): Letter => (index % 10 === 0 && index < 190 ? 'g' : 's'))

    const report = heard(taken, letters)
    expect(await finish(report, { ...report })).toEqual(['done', 'lost'])
    expect(await finish(report)).toEqual(['lost'])

    const bad = crowd.filter((_, index) => letters[index] === 'g')
    expect(await invalidated(appId)).toEqual(bad)
    const [decided, ...others] = await openBatches(appId)
    expect(others).toEqual([])
    expect(decided).toMatchObject({ lane: taken.lane, retry_of: taken.batchId, not_before: null })
    const { recipients, decided: ends } = await takeOne(decided?.id ?? '', used())
    expect(recipients).toEqual([])
    expect(ends.map(({ subscriptionId }) => subscriptionId)).toEqual(bad)
    expect(ends[0]).toMatchObject({
      outcome: 'failed',
      code: 'token_invalid',
      providerCode: '400 BadDeviceToken',
      attempts: 1,
      tokenVersion: 1,
    })
    const announced = await db.selectFrom('announcements').selectAll().execute()
    const events = announced.flatMap(({ body }) => body).filter((event) => event.appId === appId)
    expect(events).toHaveLength(19)
    expect((await circuitOf(appId))?.state).toBe('closed')
  })

  test('when pushes fail for refused tokens, a pointer follows the commit, so that a dispatcher reports them to the ledger', async () => {
    const appId = newId()
    await givenPhones(appId, 1)
    const taken = await takeOne(await givenBatch(appId), used())
    await finish(heard(taken, ['g']))

    const [decided] = await openBatches(appId)
    expect(await until(() => dispatcher.pointers.find(({ batchId }) => batchId === decided?.id))).toMatchObject({ platform: 'android' })
  })

  // spec: providers/guard-many
  test('when 40 % of the tokens are refused among sends their pushes fail, and no device is invalidated', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 500)
    const taken = await takeOne(await givenBatch(appId), used())

    await finish(
      heard(
        taken,
        crowd.map((_, index) => (index % 5 < 2 ? 'g' : 's')),
      ),
    )

    expect(await invalidated(appId)).toEqual([])
    expect((await circuitOf(appId))?.state).toBe('closed')
    const [decided] = await openBatches(appId)
    expect(decided?.decided).toHaveLength(200)
    expect(new Set(decided?.decided?.map(({ code }) => code))).toEqual(new Set(['token_invalid']))
  })

  // spec: providers/guard-opens
  test('when a circuit opens, devices invalidated within 24 hours for refused tokens are reachable again with the same token', async () => {
    const appId = newId()
    const early = await givenPhones(appId, 12)
    const first = await takeOne(await givenBatch(appId), used())
    await finish(heard(first, ['g']))
    expect(await invalidated(appId)).toEqual(early)
    const [old, changed, ...same] = early
    await db
      .updateTable('guarded_invalidations')
      .set({ at: new Date(Date.now() - 86_401_000) })
      .where('subscription_id', '=', old ?? '')
      .execute()
    await db
      .updateTable('subscriptions')
      .set({ token_version: 2 })
      .where('id', '=', changed ?? '')
      .execute()
    const more = (await Promise.all(Array.from({ length: 8 }, () => givenDevice(db, { appId, platform: 'android' })))).map(({ id }) => id)
    const second = await takeOne(await givenBatch(appId), used())
    expect(second.recipients.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(more.toSorted())

    await finish(heard(second, ['g']))

    expect((await circuitOf(appId))?.state).toBe('open')
    expect(new Set(await invalidated(appId))).toEqual(new Set([old, changed]))
    expect(same).toHaveLength(10)
    expect(await db.selectFrom('guarded_invalidations').selectAll().where('app_id', '=', appId).execute()).toEqual([])
  })

  test('when refused tokens are spread over several small sends that are finished together, no device is invalidated', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 30)
    const taken: Taken[] = []
    for (let sent = 0; sent < 3; sent += 1) taken.push(await takeOne(await givenBatch(appId), used()))
    const singles = taken.map((one, index) => ({ ...one, recipients: one.recipients.slice(index * 10, index * 10 + 10) }))

    await finish(...singles.map((one) => heard(one, ['g'])))

    expect((await circuitOf(appId))?.state).toBe('open')
    expect(await invalidated(appId)).toEqual([])
    const back = await openBatches(appId)
    expect(back.flatMap(({ subscription_ids }) => subscription_ids).toSorted()).toEqual(crowd)
    expect(back.every(({ decided }) => decided === null)).toBe(true)
  })

  test('a refused token invalidates no device that has another token by now, or has registered again since', async () => {
    const appId = newId()
    const [changed, returned] = [
      await givenDevice(db, { appId, platform: 'android' }),
      await givenDevice(db, { appId, platform: 'android' }),
    ]
    const taken = await takeOne(await givenBatch(appId), used())
    await db.updateTable('subscriptions').set({ token_version: 2 }).where('id', '=', changed.id).execute()
    const report = heard(taken, ['g'])
    const guarded = report.guarded.map((one) => (one.subscriptionId === returned.id ? { ...one, agoMs: 60_000 } : one))

    await finish({ ...report, guarded })

    expect(await invalidated(appId)).toEqual([])
    expect((await openBatches(appId)).flatMap(({ decided }) => decided)).toHaveLength(2)
  })

  // spec: providers/guard-credentials
  test('pushes that were refused with older credentials are tried again, and the refusals do not count', async () => {
    const appId = newId()
    await givenPhones(appId, 2)
    const [old, young] = [await givenBatch(appId), await givenBatch(appId)]
    const [before, after] = [await takeOne(old, used(1)), await takeOne(young, used(2))]
    await finish(heard(after, ['s'], used(2)))

    await finish(heard(before, ['g'], used(1)))

    expect(await circuitOf(appId)).toMatchObject({ state: 'closed', answers: 'ss', credentials_version: 2 })
    expect(await invalidated(appId)).toEqual([])
    expect(await openBatches(appId)).toMatchObject([{ tries: 0, decided: null, retry_of: old }])
  })

  test('when refusals open the circuit the refused pushes that may not wait (ttl 0) fail', async () => {
    const appId = newId()
    await givenPhones(appId, 30)
    const taken = await takeOne(await givenBatch(appId, givenSend(appId, { ttl: 0 })), used())

    await finish(heard(taken, ['g']))

    expect((await circuitOf(appId))?.state).toBe('open')
    expect(await invalidated(appId)).toEqual([])
    const [decided, ...others] = await openBatches(appId)
    expect(others).toEqual([])
    expect(decided?.decided).toHaveLength(30)
  })
})

test('whatever providers answer to many dispatchers at once, every push gets an outcome or is tried again, exactly once', async () => {
  const appIds = [newId(), newId()]
  for (const appId of appIds) await givenPhones(appId, 60)
  const batches = await Promise.all(Array.from({ length: 16 }, (_, index) => givenBatch(appIds[index % 2] ?? '')))
  const taken = await Promise.all(batches.map((batchId) => takeOne(batchId, used())))
  const reports = taken.map((one, index) => {
    const kinds: Letter[] = index < 12 ? ['s', 'g', 's'] : ['g', 'w', 'c']
    return heard(
      one,
      one.recipients.map((_, place) => kinds[(place * 7 + index) % 3] ?? 's'),
    )
  })

  const answers = await Promise.all([...reports, ...reports.toReversed()].map((report) => finish(report)))

  expect(answers.flat().filter((answer) => answer === 'done')).toHaveLength(16)
  for (const report of reports) {
    const after = await db.selectFrom('batches').selectAll().where('retry_of', '=', report.batchId).execute()
    const back = after.filter(({ decided }) => !decided).flatMap(({ subscription_ids }) => subscription_ids)
    const failed = after.flatMap(({ decided }) => decided ?? []).map(({ subscriptionId }) => subscriptionId)
    const all = taken.find(({ batchId }) => batchId === report.batchId)?.recipients.map(({ subscriptionId }) => subscriptionId) ?? []
    const notSent = [...report.guarded, ...report.retries].map(({ subscriptionId }) => subscriptionId)
    expect([...failed, ...back].toSorted()).toEqual(all.filter((id) => notSent.includes(id)))
  }
  for (const appId of appIds) expect((await circuitOf(appId))?.state).toBe('open')
})
