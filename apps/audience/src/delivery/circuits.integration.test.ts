import { probeCircuits, readCircuits, takeBatch } from '@herald/contracts/calls/audience'
import { appChanged } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import { openMetrics } from '@herald/service/metrics'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { asked, finished, retried } from '../testing/batches.ts'
import { heard, type Letter, used, withCircuits } from '../testing/circuits.ts'
import { givenDevice, givenSend, openAudience } from '../testing/rig.ts'
import { finishBatch } from './finish-batch.ts'
import { rememberCircuits } from './update-circuits.ts'

const rig = await openAudience()
const { audience, db, bus, dispatcher, startProcess } = rig
const {
  take,
  takeOne,
  finish,
  givenBatch,
  givenBatches,
  givenPhones,
  takeWith,
  circuitOf,
  invalidated,
  openBatches,
  letTimePass,
  givenOpen,
} = withCircuits(rig)

describe('open circuits', () => {
  // spec: providers/circuit
  test('an open circuit holds the pushes of its app and platform, and no others', async () => {
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
  test('an open circuit holds no pushes of an app without credentials, and no pushes whose outcome is already decided', async () => {
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
  test('an open circuit lets through one probe in 30 seconds, even when many dispatchers ask at once', async () => {
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

    // No dispatcher finishes the probe, as if it had died. After 30 s another batch becomes the next probe.
    await letTimePass(appId, 31)
    const next = await Promise.all(batches.map((batchId) => takeWith(batchId)))
    expect(next.filter((answer) => answer === 'taken')).toHaveLength(1)
  })

  test('a probe goes to a batch’s first sendable device, and every push keeps its slot in the ledger', async () => {
    const appId = newId()
    const crowd = await givenPhones(appId, 5)
    const taken = await takeOne(await givenBatch(appId), used())
    await finish(heard(taken, ['c']))
    // The first two devices are opted out, so nothing can be sent to them.
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

  test('a circuit stays open when a probe is refused, and the next probe goes to another device', async () => {
    const appId = newId()
    await givenPhones(appId, 30)
    await finish(heard(await takeOne(await givenBatch(appId), used()), ['g']))
    await letTimePass(appId, 32)
    const [batch] = await openBatches(appId)
    const probe = await takeOne(batch?.id ?? '', used())
    await finish(heard(probe, ['g']))
    expect((await circuitOf(appId))?.state).toBe('open')

    // The pushes of the probed batch come back: first the unsent pushes, of which one is the next probe at once, then the push to the probed device.
    const [rest, probed] = await openBatches(appId)
    await sql`update batches set not_before = now() where app_id = ${appId} and done_at is null`.execute(db)
    const next = await takeOne(rest?.id ?? '', used())
    expect(await takeWith(probed?.id ?? '')).toBe('held')

    expect([next.probe, next.tries]).toEqual([true, 0])
    expect(next.recipients[0]?.subscriptionId).not.toBe(probe.recipients[0]?.subscriptionId)
    expect(probed).toMatchObject({ subscription_ids: [probe.recipients[0]?.subscriptionId], tries: 0 })
    expect(await invalidated(appId)).toEqual([])
  })

  // spec: providers/probe
  test('when a dispatcher has newer credentials an open circuit lets through one probe at once', async () => {
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
  test('pushes held too long, or that may not wait, fail with the open circuit’s code and without a try', async () => {
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

  test('without waiting (ttl 0) a whole batch is the probe after 30 s, and a sent push closes the circuit', async () => {
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

  test('an open circuit holds the retries of a probe for no longer than other pushes', async () => {
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
})

test('sends on a healthy circuit are written to its row once a second, and any other answer at once', async () => {
  const appId = newId()
  await givenPhones(appId, 200)
  const process = {
    ...audience,
    circuitMemory: rememberCircuits({ log: audience.log, metrics: openMetrics() }),
    poke: () => undefined,
    wakeFanOut: async () => undefined,
  }
  const version = async () => {
    const { rows } = await sql<{ xmin: string }>`select xmin::text from circuits where app_id = ${appId}`.execute(db)
    return rows[0]?.xmin
  }
  const send = async (letters: Letter[]) => finishBatch(process, [heard(await takeOne(await givenBatch(appId), used()), letters)])
  await send(['s'])
  const noted = await version()
  process.circuitMemory.healthy.set(`${appId}.android.`, { credentialsVersion: 1, notedAtMs: performance.now() + 60_000 })

  await send(['s'])
  expect(await version()).toBe(noted)
  await send(['g', 's'])
  expect(await version()).not.toBe(noted)
  expect((await circuitOf(appId))?.answers).toMatch(/^g[0-9a-f]{6}s+$/)
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
  test('while the circuit of one APNs environment is open, only a batch with all its devices there is held', async () => {
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

  test('a probe of an APNs environment goes to a device of that environment', async () => {
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

  test('a push that is sent in one APNs environment does not close the circuit of the other', async () => {
    const appId = newId()
    await givenIphones(appId, ['production', 'sandbox'])
    await openSandbox(appId)
    await letTimePass(appId, 31)

    await finish(heard(await takeOne(await givenBatch(appId), apns), ['s'], apns))

    expect((await circuitOf(appId, 'sandbox'))?.state).toBe('open')
  })
})

describe('circuits and the operator', () => {
  // spec: administration/circuits-shown
  test('an operator sees circuits with their held pushes; one is probed at once when asked or when credentials change', async () => {
    const process = await startProcess()
    const appId = newId()
    await givenOpen(appId)
    await givenPhones(appId, 4)
    const batchId = await givenBatch(appId)
    const taken = () => bus.call(takeBatch, { batchId, appId, knowsSend: false, from: 0, takes: null, rate: null, ...used() })
    expect((await taken()).answer).toBe('held')

    const { circuits } = await bus.call(readCircuits, { appId })
    expect(circuits).toMatchObject([{ platform: 'android', environment: '', state: 'open', code: 'credentials_invalid', heldCount: 5 }])
    expect(await process.metrics.text()).toMatch(/herald_circuit_open\{scope="global",platform="android",environment=""\} [1-9]/)
    expect(await bus.call(probeCircuits, { appId, platform: 'ios' })).toEqual({ open: 0 })
    expect((await taken()).answer).toBe('held')

    const pointed = () => dispatcher.pointers.filter((pointer) => pointer.batchId === batchId).length
    const before = pointed()
    expect(await bus.call(probeCircuits, { appId, platform: 'android' })).toEqual({ open: 1 })
    await until(() => pointed() > before)
    expect(await taken()).toMatchObject({ answer: 'taken', probe: true })

    const other = await givenBatch(appId)
    const takeOther = () => bus.call(takeBatch, { batchId: other, appId, knowsSend: false, from: 0, takes: null, rate: null, ...used() })
    expect((await takeOther()).answer).toBe('held')
    rig.bus.broadcast(appChanged, { appId })
    await until(async () => (await takeOther()).answer === 'taken')
  })
})
