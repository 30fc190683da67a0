import {
  maxTries,
  shortenAnswers,
  type CircuitEnvironment,
  type FinishBatch,
  type Recipient,
  type TakenBatch,
} from '@herald/contracts/batch'
import { probeCircuits, readCircuits, takeBatch } from '@herald/contracts/calls/audience'
import { appChanged } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { openMetrics } from '@herald/service/metrics'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openBreaker } from './breaker.ts'
import { fanOut } from '../sends/fan-out.ts'
import { finishBatch } from './finish-batch.ts'
import { findFanOut, hasRoom } from '../sends/store/fan-outs.ts'
import { asked, finished, retried, withBatches } from '../testing/batches.ts'
import { givenEndpoint } from '../testing/play-ledger.ts'
import { givenCrowd, givenDevice, givenSend, openAudience, type Taken } from '../testing/rig.ts'

const rig = await openAudience()
const { audience, db, bus, dispatcher, peers, startProcess } = rig
const { take, takeOne, finish, givenBatch, givenBatches } = withBatches(rig)

type Letter = 's' | 'g' | 'c' | 'w' | 'u'

/** Credentials of android, as a rule: one environment. */
const used = (credentialsVersion = 1, environment: CircuitEnvironment = '') => ({ credentialsVersion, environment })

/** The finish of a batch whose recipients heard these answers, in their order; the last one answers for the rest. */
function heard(
  { batchId, takes, tries, recipients, probe }: Taken,
  letters: Letter[],
  { credentialsVersion, environment } = used(),
): FinishBatch {
  const asked = probe ? recipients.slice(0, 1) : recipients
  const answers = asked.map((recipient, index) => ({ recipient, letter: letters[index] ?? letters.at(-1) ?? 's' }))
  const of = (letter: Letter) => answers.filter((one) => one.letter === letter).map(({ recipient }) => recipient)
  const again = (recipient: Recipient) => retried(recipient, { tries })
  return finished(batchId, takes, {
    environments: environment === '' ? [] : of('s').map(({ subscriptionId }) => ({ subscriptionId, environment })),
    guarded: of('g').map(({ place, subscriptionId, userId, tokenVersion }) => ({
      ...{ place, subscriptionId, userId, tokenVersion, tries: tries + 1, agoMs: 0 },
      ...{ code: 'token_invalid' as const, providerCode: '400 BadDeviceToken' },
    })),
    unavailable: of('u').map(({ place, subscriptionId, userId, tokenVersion }) => ({
      ...{ place, subscriptionId, userId, tokenVersion, environment, tries: tries + 1 },
      ...{ retryInMs: tries + 1 < maxTries ? 1_000 : null, code: 'network_error' as const, providerCode: 'ECONNREFUSED' },
    })),
    retries: [...of('c'), ...of('w'), ...recipients.slice(asked.length)].map(again),
    answers: [
      {
        environment,
        seen: shortenAnswers(answers.map(({ letter }) => letter).join('')),
        code: letters.includes('g') ? 'token_invalid' : letters.includes('u') ? 'network_error' : 'credentials_invalid',
      },
    ],
    credentialsVersion,
  })
}

const givenPhones = (appId: string, count: number, platform: Platform = 'android') => givenCrowd(db, { appId, count, platform })
const takeWith = async (batchId: string, using = used()): Promise<TakenBatch['answer']> =>
  (await take(asked(batchId, using)))[0]?.answer ?? 'gone'
const circuitOf = (appId: string, environment: CircuitEnvironment = '') =>
  db.selectFrom('circuits').selectAll().where('app_id', '=', appId).where('environment', '=', environment).executeTakeFirst()
const invalidated = async (appId: string): Promise<string[]> =>
  (
    await db
      .selectFrom('subscriptions')
      .select('id')
      .where('app_id', '=', appId)
      .where('invalidated_at', 'is not', null)
      .orderBy('id')
      .execute()
  ).map(({ id }) => id)
/** Batches of an app that are not done, in the order in which they were made. */
const openBatches = (appId: string) =>
  db.selectFrom('batches').selectAll().where('app_id', '=', appId).where('done_at', 'is', null).orderBy('due_at').orderBy('id').execute()
const letTimePass = (appId: string, seconds: number) => {
  const earlier = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})`
  return Promise.all([
    sql`update circuits set ${earlier('probe_at')} where app_id = ${appId}`.execute(db),
    sql`update batches set ${earlier('not_before')}, ${earlier('due_at')}, ${earlier('held_since')}, ${earlier('queued_at')} where app_id = ${appId} and done_at is null`.execute(
      db,
    ),
  ])
}
/** Circuit open: one push of the app was refused because of its credentials, and waits. */
async function givenOpen(appId: string, using = used(), platform: Platform = 'android'): Promise<string> {
  const device = await givenDevice(db, { appId, platform })
  const taken = await takeOne(await givenBatch(appId, givenSend(appId)), using)
  await finish(heard(taken, ['c'], using))
  return device.id
}

describe('mass guard', () => {
  // spec: providers/guard-opens
  test('a whole batch of refused tokens invalidates nobody: the circuit opens and all come back, untried', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 500)
    const taken = await takeOne(await givenBatch(appId), used())

    expect(await finish(heard(taken, ['g']))).toEqual(['done'])

    expect(await invalidated(appId)).toEqual([])
    expect(await circuitOf(appId)).toMatchObject({ state: 'open', code: 'token_invalid', credentials_version: 1, answers: 'g'.repeat(200) })
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
  test('19 among many sends are dead: failed for the ledger, invalidated once and announced once', async () => {
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

  test('a decided failure is pointed at right after the commit', async () => {
    const appId = newId()
    await givenPhones(appId, 1)
    const taken = await takeOne(await givenBatch(appId), used())
    await finish(heard(taken, ['g']))

    const [decided] = await openBatches(appId)
    expect(await until(() => dispatcher.pointers.find(({ batchId }) => batchId === decided?.id))).toMatchObject({ platform: 'android' })
  })

  // spec: providers/guard-many
  test('40 % bad among sends fail with their code and stay', async () => {
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
  test('a circuit that opens undoes what it invalidated within 24 hours, if the token is the same', async () => {
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

  test('many small sends, finished together, invalidate nobody either', async () => {
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

  test('a token that changed or registered again since is not invalidated', async () => {
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
  test('refused tokens of older credentials say nothing and are tried again', async () => {
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

  test('what is sent now or never has failed when its circuit opens', async () => {
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

test('whatever is heard, by many processes at once and repeatedly: every push ends or comes back exactly once', async () => {
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

describe('breaker', () => {
  // spec: providers/circuit
  test('an open circuit holds its app and platform, and no other', async () => {
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 1, 'web')
    const other = newId()
    await givenPhones(other, 1)
    const batches = await givenBatches(appId)
    const rows = await db.selectFrom('batches').select(['id', 'platform']).where('id', 'in', batches).execute()
    const of = (platform: Platform) => rows.find((row) => row.platform === platform)?.id ?? ''

    expect(await takeWith(of('android'))).toBe('held')
    expect(await takeWith(of('web'))).toBe('taken')
    expect(await takeWith(await givenBatch(other))).toBe('taken')
    const held = await db.selectFrom('batches').selectAll().where('id', '=', of('android')).executeTakeFirstOrThrow()
    expect(held.held_since).not.toBeNull()
    expect(held.due_at).toEqual((await circuitOf(appId))?.probe_at)
    expect(held.takes).toBe(0)
  })

  // spec: providers/not-configured
  test('without credentials, or decided already, nothing is held', async () => {
    const appId = newId()
    await givenOpen(appId)
    const [bare, decided] = [await givenBatch(appId), await givenBatch(appId)]
    const [row] = await db.selectFrom('batches').selectAll().where('id', '=', decided).execute()
    const ends = row?.subscription_ids.map((subscriptionId) => ({
      ...{ subscriptionId, userId: newId(), tokenVersion: 0, attempts: 0 },
      ...{ outcome: 'skipped' as const, code: 'frequency_cap' as const },
    }))
    await db
      .updateTable('batches')
      .set({ decided: JSON.stringify(ends) })
      .where('id', '=', decided)
      .execute()

    expect((await take(asked(bare)))[0]).toMatchObject({ answer: 'taken', heldEnvironments: [], probe: false })
    expect(await takeWith(decided)).toBe('taken')
  })

  // spec: providers/probe
  test('however many processes ask, one probe is made in 30 seconds', async () => {
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 3)
    const batches = [await givenBatch(appId), await givenBatch(appId), await givenBatch(appId), await givenBatch(appId)]
    await letTimePass(appId, 31)

    const answers = (await Promise.all(batches.map((batchId) => take(asked(batchId, used()))))).flat()

    const probes = answers.filter((answer) => answer.answer === 'taken')
    expect(probes).toMatchObject([{ probe: true }])
    expect(answers.filter(({ answer }) => answer === 'held')).toHaveLength(3)
    const again = await Promise.all(batches.map((batchId) => takeWith(batchId)))
    expect(again.filter((answer) => answer === 'taken')).toEqual([])

    // It died: nobody finishes it. The next one follows.
    await letTimePass(appId, 31)
    const next = await Promise.all(batches.map((batchId) => takeWith(batchId)))
    expect(next.filter((answer) => answer === 'taken')).toHaveLength(1)
  })

  test('a device that is moved to the front of its batch as a probe keeps its place in the ledger, and so do the others', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 5)
    const taken = await takeOne(await givenBatch(appId), used())
    await finish(heard(taken, ['c']))
    // The first two cannot be asked.
    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', 'in', crowd.slice(0, 2)).execute()
    await letTimePass(appId, 60)
    const [held] = await openBatches(appId)

    const probe = await takeOne(held?.id ?? '', used())

    expect(probe).toMatchObject({
      probe: true,
      no: taken.no,
      recipients: [{ subscriptionId: crowd[2], place: 2 }, { place: 3 }, { place: 4 }],
    })
    expect(probe.decided.map(({ subscriptionId, place }) => [subscriptionId, place])).toEqual([
      [crowd[0], 0],
      [crowd[1], 1],
    ])
    const row = await db.selectFrom('batches').select(['subscription_ids', 'places']).where('id', '=', probe.batchId).executeTakeFirst()
    expect(row).toEqual({ subscription_ids: [2, 0, 1, 3, 4].map((place) => crowd[place]), places: [2, 0, 1, 3, 4] })
  })

  test('a probe that is refused leaves the circuit open, and the next asks another device', async () => {
    const appId = newId()
    await givenPhones(appId, 30)
    await finish(heard(await takeOne(await givenBatch(appId), used()), ['g']))
    const probed: string[] = []

    for (let round = 0; round < 2; round += 1) {
      await letTimePass(appId, 32)
      const [batch] = await openBatches(appId)
      const probe = await takeOne(batch?.id ?? '', used())
      probed.push(probe.recipients[0]?.subscriptionId ?? '')
      await finish(heard(probe, ['g']))
      expect((await circuitOf(appId))?.state).toBe('open')
      // What comes back of a probe meets the open circuit: the rest first, then the device itself.
      for (const { id } of await openBatches(appId)) {
        await sql`update batches set not_before = now() where id = ${id}`.execute(db)
        expect(await takeWith(id)).toBe('held')
      }
    }

    expect(new Set(probed).size).toBe(2)
    expect(await invalidated(appId)).toEqual([])
    const waiting = (await openBatches(appId)).filter(({ lease_until }) => lease_until === null)
    expect(waiting.flatMap(({ subscription_ids }) => subscription_ids).toSorted()).toHaveLength(30)
    expect(waiting.every(({ tries }) => tries === 0)).toBe(true)
  })

  // spec: providers/probe
  test('newer credentials are tried at once, by one', async () => {
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 1)
    const [first, second] = [await givenBatch(appId), await givenBatch(appId)]
    expect(await takeWith(first, used(1))).toBe('held')
    await letTimePass(appId, 0)
    await sql`update batches set not_before = null where id = ${first}`.execute(db)

    const probe = await takeOne(first, used(2))
    expect(probe.probe).toBe(true)
    expect(await takeWith(second, used(2))).toBe('held')
    await finish(heard(probe, ['s'], used(2)))

    expect(await circuitOf(appId)).toMatchObject({ state: 'closed', answers: 's', credentials_version: 2 })
    expect(await takeWith(second, used(2))).toBe('taken')
  })

  // spec: providers/circuit-hold-limit, providers/circuit-now-or-never
  test('what was held too long, or may not wait at all, fails with the circuit’s code, untried', async () => {
    const appId = newId()
    await givenOpen(appId)
    const [patient, hasty] = [await givenBatch(appId), await givenBatch(appId, givenSend(appId, { ttl: 0 }))]

    expect(await takeOne(hasty, used())).toMatchObject({
      recipients: [],
      probe: false,
      decided: [{ outcome: 'failed', code: 'credentials_invalid', attempts: 0 }],
    })
    expect(await takeWith(patient)).toBe('held')
    await sql`update batches set not_before = now(), held_since = now() - interval '24 hours' where id = ${patient}`.execute(db)
    expect(await takeOne(patient, used())).toMatchObject({ recipients: [], decided: [{ outcome: 'failed', code: 'credentials_invalid' }] })

    const short = await givenBatch(appId, givenSend(appId, { ttl: 60 }))
    await sql`update batches set queued_at = now() - interval '60 seconds' where id = ${short}`.execute(db)
    expect(await takeOne(short, used())).toMatchObject({ decided: [{ code: 'credentials_invalid' }] })
  })

  test('an app that sends only now or never finds out by a whole push when it is well again', async () => {
    const appId = newId()
    await givenPhones(appId, 3)
    const now = () => givenBatch(appId, givenSend(appId, { ttl: 0 }))
    await finish(heard(await takeOne(await now(), used()), ['c']))
    await letTimePass(appId, 31)

    const probe = await takeOne(await now(), used())

    expect([probe.probe, probe.recipients.length, probe.decided.length]).toEqual([false, 3, 0])
    await finish(heard(probe, ['s']))
    expect((await circuitOf(appId))?.state).toBe('closed')
  })

  test('what comes back of a probe is held for no longer than the rest', async () => {
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 2)
    const batchId = await givenBatch(appId)
    expect(await takeWith(batchId)).toBe('held')
    await letTimePass(appId, 31)
    const { held_since } = await db.selectFrom('batches').selectAll().where('id', '=', batchId).executeTakeFirstOrThrow()
    await finish(heard(await takeOne(batchId, used()), ['c']))

    const retries = await db.selectFrom('batches').selectAll().where('retry_of', '=', batchId).execute()

    expect(retries.flatMap(({ subscription_ids }) => subscription_ids)).toHaveLength(3)
    expect(retries.map((retry) => retry.held_since)).toEqual(retries.map(() => held_since))
  })

  test('sends of a healthy circuit are noted once a second, anything else at once', async () => {
    const appId = newId()
    await givenPhones(appId, 200)
    const process = { ...audience, breaker: openBreaker({ log: audience.log, metrics: openMetrics() }), poke: () => undefined }
    const version = async () => {
      const { rows } = await sql<{ xmin: string }>`select xmin::text from circuits where app_id = ${appId}`.execute(db)
      return rows[0]?.xmin
    }
    const send = async (letters: Letter[]) => finishBatch(process, [heard(await takeOne(await givenBatch(appId), used()), letters)])
    await send(['s'])
    const noted = await version()
    process.breaker.healthy.set(`${appId}.android.`, { credentialsVersion: 1, notedAtMs: performance.now() + 60_000 })

    await send(['s'])
    expect(await version()).toBe(noted)
    await send(['g', 's'])
    expect(await version()).not.toBe(noted)
    expect((await circuitOf(appId))?.answers).toMatch(/^gs+$/)
  })
})

describe('a provider that is away', () => {
  const circuitIs = async (appId: string) => (await circuitOf(appId))?.state
  const held = (appId: string) => openBatches(appId).then((rows) => rows.filter(({ held_since }) => held_since !== null))

  // spec: providers/away, providers/away-over
  test('a whole batch without an answer opens the circuit; even a last try was none, nobody fails, and one answer sends it all', async () => {
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

    // Longer than any breaker holds.
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
  test('five tries of one push end it while the provider answers others', async () => {
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

  test('five tries of two pushes end nothing when nobody else was answered meanwhile', async () => {
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

  test('five tries of one push end it though nobody else was answered: a provider that fails one token is not away', async () => {
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
  test('a push whose ttl ends meanwhile is skipped as expired; now or never is tried once', async () => {
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

  test('what is held fills the window of a send that has nowhere else to go, and of no other', async () => {
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
    const room = (pushes: Record<Platform, number>) => db.transaction().execute((trx) => hasRoom(trx, appId, pushes))
    expect(await room({ ios: 0, android: 5_000, web: 0 })).toBe(false)
    expect(await room({ ios: 2_500, android: 2_500, web: 0 })).toBe(true)
    expect(await room({ ios: 0, android: 0, web: 0 })).toBe(true)
  })

  // spec: providers/away-over
  test('thousands of held batches are let go in turn when it is back', async () => {
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

describe('the two environments of APNs', () => {
  const apns = used(1, 'production')
  const givenIphones = async (appId: string, environments: ('production' | 'sandbox' | null)[]) => {
    const devices = await Promise.all(environments.map(() => givenDevice(db, { appId })))
    for (const [index, { id }] of devices.entries()) {
      await db
        .updateTable('subscriptions')
        .set({ apns_environment: environments[index] ?? null })
        .where('id', '=', id)
        .execute()
    }
    return devices.map(({ id }) => id)
  }
  const openSandbox = (appId: string) =>
    db
      .insertInto('circuits')
      .values({
        ...{ app_id: appId, platform: 'ios', environment: 'sandbox', state: 'open', code: 'credentials_invalid', credentials_version: 1 },
        probe_at: sql<Date>`now() + interval '30 seconds'`,
      })
      .execute()

  // spec: providers/circuit
  test('one is closed: its devices alone come back, and a batch of nothing else is held', async () => {
    const appId = newId()
    await givenIphones(appId, ['sandbox', null])
    await openSandbox(appId)
    const mixed = await takeOne(await givenBatch(appId), apns)

    expect(mixed).toMatchObject({ probe: false, heldEnvironments: [{ environment: 'sandbox' }] })
    expect(mixed.recipients).toHaveLength(2)
    expect(mixed.heldEnvironments[0]?.inMs).toBeGreaterThan(0)
    expect(mixed.heldEnvironments[0]?.inMs).toBeLessThanOrEqual(30_000)

    const sandbox = mixed.recipients.filter(({ environment }) => environment === 'sandbox')
    const retries = sandbox.map((recipient) => retried(recipient))
    await finish(finished(mixed.batchId, mixed.takes, { retries }))
    const [retry] = await openBatches(appId)
    expect(await takeWith(retry?.id ?? '', apns)).toBe('held')
  })

  test('its probe asks one of its own devices', async () => {
    const appId = newId()
    const [, sandbox] = await givenIphones(appId, ['production', 'sandbox', null])
    await openSandbox(appId)
    await letTimePass(appId, 31)

    const probe = await takeOne(await givenBatch(appId), apns)

    expect(probe.probe).toBe(true)
    expect(probe.recipients.map(({ subscriptionId }) => subscriptionId)[0]).toBe(sandbox)
    expect(probe.recipients).toHaveLength(3)
    await finish(heard(probe, ['s'], used(1, 'sandbox')))
    expect((await circuitOf(appId, 'sandbox'))?.state).toBe('closed')
  })

  test('a send in one does not close the other', async () => {
    const appId = newId()
    await givenIphones(appId, ['production', 'sandbox'])
    await openSandbox(appId)
    await letTimePass(appId, 31)

    await finish(heard(await takeOne(await givenBatch(appId), apns), ['s'], apns))

    expect((await circuitOf(appId, 'sandbox'))?.state).toBe('open')
  })
})

describe('whether a send goes on', () => {
  const setFlow = (campaignId: string, flow: 'running' | 'paused' | 'cancelled') =>
    db.updateTable('fan_outs').set({ flow }).where('campaign_id', '=', campaignId).execute()
  const campaignOf = async (batchId: string) =>
    (await db.selectFrom('batches').select('campaign_id').where('id', '=', batchId).executeTakeFirstOrThrow()).campaign_id

  // spec: campaigns/pause
  test('a paused send is held, also what is to be tried again, until it goes on', async () => {
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
  test('what is left of a cancelled send is skipped, every push of it, whatever its circuit', async () => {
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

describe('operation', () => {
  // spec: administration/circuits-shown
  test('circuits are shown with what they hold, and an operator or new credentials ask for a probe now', async () => {
    const process = await startProcess()
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 4)
    const batchId = await givenBatch(appId)
    const taken = () => bus.call(takeBatch, { batchId, knowsSend: false, from: 0, takes: null, ...used() })
    expect((await taken()).answer).toBe('held')

    const { circuits } = await bus.call(readCircuits, { appId })
    expect(circuits).toMatchObject([{ platform: 'android', environment: '', state: 'open', code: 'credentials_invalid', heldCount: 5 }])
    expect(await process.metrics.text()).toMatch(/herald_circuit_open\{platform="android",environment=""\} [1-9]/)
    expect(await bus.call(probeCircuits, { appId, platform: 'ios' })).toEqual({ open: 0 })
    expect((await taken()).answer).toBe('held')

    const pointed = () => dispatcher.pointers.filter((pointer) => pointer.batchId === batchId).length
    const before = pointed()
    expect(await bus.call(probeCircuits, { appId, platform: 'android' })).toEqual({ open: 1 })
    await until(() => pointed() > before)
    expect(await taken()).toMatchObject({ answer: 'taken', probe: true })

    const other = await givenBatch(appId)
    const takeOther = () => bus.call(takeBatch, { batchId: other, knowsSend: false, from: 0, takes: null, ...used() })
    expect((await takeOther()).answer).toBe('held')
    rig.bus.broadcast(appChanged, { appId })
    await until(async () => (await takeOther()).answer === 'taken')
  })
})
