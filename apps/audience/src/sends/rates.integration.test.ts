import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { sweepDue } from '../sweep-due.ts'
import { asked, finished, retried } from '../testing/batches.ts'
import { withCircuits } from '../testing/circuits.ts'
import { givenCrowd, givenSend, openAudience } from '../testing/rig.ts'
import { changeFlow } from './change-flow.ts'
import { explainDevices } from './explain-devices.ts'
import { fanOut } from './fan-out.ts'
import { findFanOut } from './store/fan-outs.ts'
import { purgeTurns } from './store/turns-of-sends.ts'

/** No sweep runs in these tests: only the tests take rows that are due. */
const rig = await openAudience()
const { db, audience, peers } = rig
const { take, takeOne, finish, expireLease, takeWith, givenOpen, letTimePass } = withCircuits(rig)
beforeEach(() => sql`truncate fan_outs, batches, send_turns`.execute(db))

/** Begins a send to `count` devices; null: without a rate. */
async function begin(count: number, perMinute: number | null = 600, change: Parameters<typeof givenSend>[1] = {}) {
  const appId = newId()
  await givenCrowd(db, { appId, count, platform: 'android' })
  const campaignId = peers.givenCampaign(givenSend(appId, { ...(perMinute === null ? {} : { sendRate: { perMinute } }), ...change }), {
    kind: 'all',
  })
  await fanOut(audience, { campaignId, page: 0 })
  let no = 0
  return {
    appId,
    campaignId,
    tell: (flow: 'running' | 'paused' | 'cancelled', rate?: number) =>
      changeFlow(
        { ...audience, poke: () => undefined },
        { campaignId, appId, flow, no: ++no, ...(rate === undefined ? {} : { perMinute: rate }) },
      ),
    /** The batches that nobody has, by number: size and in how many milliseconds each has its turn. */
    waiting: async () => {
      const { rows } = await sql<{ id: string; size: number; inMs: number | null }>`
        select id, cardinality(subscription_ids) as size, (extract(epoch from not_before - now()) * 1000)::float8 as "inMs" from batches
        where campaign_id = ${campaignId} and done_at is null and lease_until is null order by batch_no`.execute(db)
      return rows
    },
    /** Lets time pass, for the turns and batches of this send. */
    pass: async (ms: number) => {
      const back = sql`make_interval(secs => ${ms}::float8 / 1000)`
      await sql`update send_turns set next_at = next_at - ${back} where campaign_id = ${campaignId}`.execute(db)
      await sql`update batches set not_before = not_before - ${back}, due_at = due_at - ${back}, lease_until = lease_until - ${back}
        where campaign_id = ${campaignId}`.execute(db)
      await sql`update fan_outs set due_at = due_at - ${back} where campaign_id = ${campaignId}`.execute(db)
    },
  }
}
const answers = async (ids: string[]) => (await take(...ids.map((id) => asked(id)))).map(({ answer }) => answer)

// spec: sending/rate
test('a send with a rate queues batches of half a second’s pushes; a dispatcher gets each at its turn only', async () => {
  const { waiting, pass } = await begin(50)
  const before = await waiting()
  expect(before.map(({ size }) => size)).toEqual(Array.from({ length: 10 }, () => 5))
  for (const [place, { inMs }] of before.entries()) expect((inMs ?? 0) - (before[0]?.inMs ?? 0)).toBeCloseTo(place * 500, 0)

  // All ask at once: the first gets its turn, whoever asks.
  const ids = before.map(({ id }) => id)
  expect((await answers(ids)).filter((answer) => answer === 'taken')).toHaveLength(1)
  expect(new Set(await answers(ids.slice(1)))).toEqual(new Set(['held']))
  await pass(510)
  expect(await answers(ids)).toEqual(['busy', 'taken', ...Array.from({ length: 8 }, () => 'held')])
})

// spec: sending/rate
test('what was not sent during an outage or a pause is not caught up: each batch gets a new turn', async () => {
  const { waiting, pass, tell } = await begin(50)
  const ids = (await waiting()).map(({ id }) => id)
  await pass(60_000)
  expect(await answers(ids)).toEqual(['taken', ...Array.from({ length: 9 }, () => 'held')])
  const left = await waiting()
  expect(left).toHaveLength(9)
  expect((left[8]?.inMs ?? 0) - (left[0]?.inMs ?? 0)).toBeCloseTo(4_000, 0)

  await tell('paused')
  await pass(30_000)
  expect(new Set(await answers(ids.slice(1)))).toEqual(new Set(['held']))
  await tell('running')
  await sweepDue(audience)
  expect((await answers(ids.slice(1))).filter((answer) => answer === 'taken')).toHaveLength(1)
})

// spec: sending/rate
test('batches that two dispatchers take through two processes of audience at once have one turn together', async () => {
  const { waiting, pass } = await begin(50)
  const ids = (await waiting()).map(({ id }) => id)
  for (let turn = 1; turn <= 5; turn += 1) {
    const taken = (await Promise.all(ids.map((id) => answers([id])))).flat().filter((answer) => answer === 'taken')
    expect(taken).toHaveLength(1)
    await pass(510)
  }
})

// spec: sending/rate
test('a page is made when its first push is at most 10 s away, so waiting uses no ttl', async () => {
  const { campaignId, waiting, pass } = await begin(1_000, 600, { ttl: 15 })
  // A page holds 20 s of pushes.
  expect(await waiting()).toHaveLength(40)
  const page = (await findFanOut(db, campaignId))?.page ?? 0
  await fanOut(audience, { campaignId, page })
  const fanOutRow = await findFanOut(db, campaignId)
  expect(fanOutRow?.page).toBe(page)
  expect((fanOutRow?.dueAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(5_000)

  const [first, ...others] = await waiting()
  await pass(11_000)
  await takeOne(first!.id)
  await sql`update batches set done_at = now() where campaign_id = ${campaignId} and batch_no <= 21`.execute(db)
  await fanOut(audience, { campaignId, page })
  expect((await findFanOut(db, campaignId))?.page).toBe(page + 1)
  expect(await waiting()).toHaveLength(40 - 21 + 40)

  // The ttl of a push counts from its turn.
  const last = others[30]!
  await sql`update batches set queued_at = now() - interval '20 seconds' where campaign_id = ${campaignId}`.execute(db)
  await pass(60_000)
  expect((await takeOne(last.id)).elapsedMs).toBeLessThan(1_000)
})

// spec: sending/rate, sending/rate-changed
test('a changed rate gives every waiting batch a new turn at once; without a rate they all go out', async () => {
  const { waiting, tell } = await begin(100)
  const spread = async () => {
    const left = await waiting()
    return (left.at(-1)?.inMs ?? 0) - (left[0]?.inMs ?? 0)
  }
  expect(await spread()).toBeCloseTo(9_500, 0)
  expect(await tell('running', 6_000)).toEqual({ known: true, left: 100 })
  expect(await spread()).toBeCloseTo(950, 0)
  await tell('running', 60)
  expect(await spread()).toBeCloseTo(95_000, 0)
  expect(await tell('running', 0)).toEqual({ known: true })
  const ids = (await waiting()).map(({ id }) => id)
  expect(new Set(await answers(ids))).toEqual(new Set(['taken']))

  const plain = await begin(1_200, null)
  expect((await plain.waiting()).map(({ size, inMs }) => [size, inMs])).toEqual([
    [500, null],
    [500, null],
    [200, null],
  ])
  await plain.tell('running', 600)
  expect((await answers((await plain.waiting()).map(({ id }) => id))).toSorted()).toEqual(['held', 'held', 'taken'])
})

// spec: sending/rate
test('a killed dispatcher’s batch waits for a turn again, a retry for none; cancelled batches end at once', async () => {
  const { appId, campaignId, waiting, pass, tell } = await begin(20)
  const [first, second, third] = await waiting()
  const killed = await takeOne(first!.id)
  await expireLease(first!.id)
  expect(await answers([first!.id])).toEqual(['held'])
  await pass(510)
  const again = await takeOne(first!.id)
  expect(again.takes).toBe(killed.takes + 1)

  const [recipient] = again.recipients
  await finish({
    ...finished(first!.id, again.takes),
    appId,
    retries: [retried(recipient!, { place: recipient!.place, tries: 1, code: 'timeout' })],
  })
  const retry = await db.selectFrom('batches').select(['id', 'paced']).where('retry_of', '=', first!.id).executeTakeFirstOrThrow()
  expect(retry.paced).toBeNull()
  expect(await answers([second!.id, retry.id])).toEqual(['held', 'taken'])

  await tell('cancelled')
  expect(await answers([second!.id, third!.id])).toEqual(['taken', 'taken'])
  expect((await db.selectFrom('batches').select('decided').where('id', '=', third!.id).executeTakeFirst())?.decided).toMatchObject([
    { outcome: 'skipped', code: 'cancelled' },
    {},
    {},
    {},
    {},
  ])
  await sql`update fan_outs set settled_at = now() where campaign_id = ${campaignId}`.execute(db)
  await purgeTurns(db)
  expect(await db.selectFrom('send_turns').selectAll().execute()).toEqual([])
})

// spec: sending/rate
test('pushes that a dispatcher hands back untried wait for a turn again, and their ttl goes on', async () => {
  const { appId, waiting, pass } = await begin(20)
  const [first] = await waiting()
  const taken = await takeOne(first!.id)
  await sql`update batches set queued_at = now() - interval '20 seconds' where id = ${first!.id}`.execute(db)
  await finish({ ...finished(first!.id, taken.takes), appId, retries: taken.recipients.map((one) => retried(one, { place: one.place })) })
  const retry = await db.selectFrom('batches').select('id').where('retry_of', '=', first!.id).executeTakeFirstOrThrow()
  expect(await answers([retry.id])).toEqual(['held'])
  await pass(510)
  expect((await takeOne(retry.id)).elapsedMs).toBeGreaterThan(19_000)
})

// spec: sending/rate
test('what passes an open circuit has its turn too, and the ttl of what it holds begins once', async () => {
  const { appId, campaignId, waiting } = await begin(20)
  const [first, second] = (await waiting()).map(({ id }) => id)
  await givenOpen(appId)
  expect(await takeWith(first!)).toBe('held')
  await letTimePass(appId, 3_600)
  expect(await takeWith(first!)).toBe('taken')
  const { queued_at: since } = await db.selectFrom('batches').select('queued_at').where('id', '=', first!).executeTakeFirstOrThrow()
  expect(Date.now() - since.getTime()).toBeGreaterThan(3_500_000)

  const { next_at: next } = await db
    .selectFrom('send_turns')
    .select('next_at')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow()
  expect(next.getTime()).toBeGreaterThan(Date.now())
  await sql`update circuits set state = 'closed' where app_id = ${appId}`.execute(db)
  expect(await takeWith(second!)).toBe('held')
})

// spec: sending/rate
test('a send with a rate queues no more than the app’s bulk window while its provider is away', async () => {
  const { appId, campaignId, waiting, pass } = await begin(1_000)
  const { page } = (await findFanOut(db, campaignId))!
  await givenOpen(appId)
  const made = await waiting()
  await pass(30_000)
  for (const { id } of made) expect(await takeWith(id)).toBe('held')
  await fanOut(audience, { campaignId, page })
  expect(await findFanOut(db, campaignId)).toMatchObject({ page, state: 'waiting' })
  expect(await waiting()).toHaveLength(made.length)

  await sql`update batches set done_at = now() where campaign_id = ${campaignId} and batch_no <= 30`.execute(db)
  await fanOut(audience, { campaignId, page })
  expect(await findFanOut(db, campaignId)).toMatchObject({ page: page + 1 })
})

// spec: sending/rate
test('batches that wait for their turns leave the app’s bulk window to its other sends', async () => {
  const { appId } = await begin(200)
  const other = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await sql`update subscriptions set created_at = now() - interval '1 minute' where app_id = ${appId}`.execute(db)
  await fanOut(audience, { campaignId: other, page: 0 })
  expect(await findFanOut(db, other)).toMatchObject({ state: 'fanned_out', perMinute: null })
})

// spec: administration/explain-waiting
test('explain says when a push’s turn comes, and of a device without a page that it waits for the rate', async () => {
  const { appId, campaignId, waiting } = await begin(400)
  const devices = await db.selectFrom('subscriptions').select('id').where('app_id', '=', appId).orderBy('id').execute()
  const [, second] = await waiting()
  const { subscription_ids: queued } = await db
    .selectFrom('batches')
    .select('subscription_ids')
    .where('id', '=', second!.id)
    .executeTakeFirstOrThrow()
  const ids = [queued[0]!, devices.at(-1)!.id]
  const { devices: explained } = await explainDevices(
    { db },
    {
      ...{ appId, campaignId, begins: false, startedAt: null, target: { kind: 'all' }, settings: defaultSettings },
      send: givenSend(appId, { campaignId, sendRate: { perMinute: 600 } }),
      // The ledger knows that the first is in the second batch.
      devices: ids.map((subscriptionId, place) => ({ subscriptionId, no: place === 0 ? 2 : null })),
    },
  )
  expect(explained.map(({ push }) => push)).toMatchObject([
    { is: 'open', verdict: 'waiting', waitingFor: { kind: 'rate', at: expect.any(String), perMinute: 600 } },
    { is: 'ahead', waitingFor: { kind: 'rate', at: null, perMinute: 600 } },
  ])
})

// spec: sending/rate
test('each wave of a send is paced', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 20 })
  await sql`update users set timezone = case when id < '8' then 'Asia/Tokyo' else 'America/Lima' end where app_id = ${appId}`.execute(db)
  const sendRate = { perMinute: 600 }
  const waves = { localTime: '09:00', date: '2020-01-01', lateMinutes: 1440, after: '2020-01-01T20:00:00.000Z' }
  const campaignId = peers.givenCampaign(givenSend(appId, { sendRate, userTimezone: waves }), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  for (let page = (await findFanOut(db, campaignId))?.page ?? 1; page < 5; page += 1) {
    await sql`update fan_outs set due_at = now() - interval '1 second' where campaign_id = ${campaignId}`.execute(db)
    await sweepDue(audience)
    await fanOut(audience, { campaignId, page })
  }
  const rows = await db
    .selectFrom('batches')
    .select(['paced', 'not_before', 'subscription_ids'])
    .where('campaign_id', '=', campaignId)
    .execute()
  expect(rows.flatMap((row) => row.subscription_ids)).toHaveLength(20)
  for (const row of rows) expect([row.paced, row.not_before]).toEqual([true, expect.any(Date)])
})
