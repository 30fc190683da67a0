import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { asked, finished, withBatches } from '../testing/batches.ts'
import { givenCrowd, givenSend, openAudience } from '../testing/rig.ts'
import { openProviderRates } from './provider-rates.ts'
import { listSlowed } from './store/provider-rates.ts'

const rig = await openAudience()
const { audience, db } = rig
const { take, givenBatches } = withBatches(rig)
/** Opens the rates as one more process of audience: instances share only the database. */
const openRates = () => openProviderRates({ db, log: audience.log }, 0)
const appOfOne = newId()
await givenCrowd(db, { appId: appOfOne, count: 1, platform: 'android' })
const [single = ''] = await givenBatches(appOfOne)
/** Gives in how many milliseconds a batch of one push has its turn; 0 when it has it now. */
const turnOf = async (rates: ReturnType<typeof openRates>, rate: Rate) =>
  (await rates.withoutTurn([{ batchId: single, rate }]))[0]?.inMs ?? 0
const newRate = (most: number | null = 9_000) => ({ scope: `fcm ${newId()}`, platform: 'android' as const, most })
type Rate = ReturnType<typeof newRate>

const answers = (rate: Rate, accepted: number, refused: number, takenAgoMs = 100) =>
  finished(newId(), 1, { rate: { ...rate, accepted, refused, answered: accepted + refused, takenAgoMs } })
const rowOf = (rate: Rate) => db.selectFrom('send_rates').selectAll().where('scope', '=', rate.scope).executeTakeFirstOrThrow()
const perSecond = async (rate: Rate) => (await rowOf(rate)).per_second
/** Moves a rate's instants into the past, as if this time had passed. */
const letTimePass = (rate: Rate, seconds: number) => {
  const earlier = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})`
  const columns = ['next_at', 'changed_at', 'slowed_at', 'minute_at'].map(earlier)
  return sql`update send_rates set ${sql.join(columns)} where scope = ${rate.scope}`.execute(db)
}

// spec: providers/quota
describe('the rate that credentials share', () => {
  test('a minute’s pushes go out at once, then as many a second as the rate says; processes share one row', async () => {
    const [one, other, rate] = [openRates(), openRates(), newRate(10)]
    expect(await turnOf(one, rate)).toBe(0)
    await one.took(rate, 590)
    expect(await turnOf(one, rate)).toBe(0)
    await one.took(rate, 60)
    expect(await turnOf(other, rate)).toBeGreaterThan(4_000)
    expect(await turnOf(other, rate)).toBeLessThanOrEqual(5_100)
  })

  test('above 1 % of quota answers the rate falls to 70 %, no further for pushes on their way', async () => {
    const [rates, rate] = [openRates(), newRate(100)]
    await rates.took(rate, 1)
    // In the last minute 9,000 pushes were accepted: more than the rate, so the rate alone counts.
    await rates.heard(answers(rate, 9_000, 90), newId())
    expect(await perSecond(rate)).toBe(100)
    await rates.heard(answers(rate, 0, 10), newId())
    expect(await perSecond(rate)).toBeCloseTo(70, 0)
    await rates.heard(answers(rate, 0, 500, 60_000), newId())
    expect(await perSecond(rate)).toBeCloseTo(70, 0)
    // The bucket is empty from now on.
    expect((await rowOf(rate)).next_at.getTime()).toBeGreaterThan(Date.now() - 5_000)
  })

  test('the rate falls to the last minute’s accepted pushes, then grows by 5 % a second to its most', async () => {
    const [rates, rate] = [openRates(), newRate()]
    await rates.heard(answers(rate, 6_000, 24_000), newId())
    expect(await perSecond(rate)).toBeCloseTo(100, 0)
    await letTimePass(rate, 10)
    await turnOf(openRates(), rate)
    expect(await perSecond(rate)).toBeCloseTo(100 * 1.05 ** 10, 0)
    await letTimePass(rate, 600)
    await turnOf(openRates(), rate)
    expect(await perSecond(rate)).toBe(9_000)
  })

  test('between two quota answers the provider took its quota: the rate grows to that and stays five minutes', async () => {
    const [rates, rate] = [openRates(), newRate()]
    await rates.heard(answers(rate, 6_000, 24_000), newId())
    await letTimePass(rate, 20)
    const later = openRates()
    await later.heard(answers(rate, 2_000, 100), newId())
    const { found } = await rowOf(rate)
    expect(found).toBeGreaterThan(90)
    expect(found).toBeLessThan(100)
    await letTimePass(rate, 60)
    await turnOf(openRates(), rate)
    expect(await perSecond(rate)).toBeCloseTo(found ?? 0, 5)
    await letTimePass(rate, 300)
    await turnOf(openRates(), rate)
    expect(await perSecond(rate)).toBeGreaterThan(1_000)
  })

  test('what was taken ahead of its turn waits for less time when the rate has grown', async () => {
    const [rates, rate] = [openRates(), newRate()]
    await rates.heard(answers(rate, 600, 60), newId())
    await rates.took(rate, 200)
    const before = await rowOf(rate)
    expect(before.next_at.getTime() - Date.now()).toBeGreaterThan(15_000)
    // The rate has grown for 20 s, and the debt has run off for none.
    await sql`update send_rates set changed_at = changed_at - interval '20 seconds' where scope = ${rate.scope}`.execute(db)
    await turnOf(openRates(), rate)
    expect((await rowOf(rate)).next_at.getTime() - Date.now()).toBeLessThan(10_000)
  })

  test('a single quota answer slows nothing down', async () => {
    const [rates, rate] = [openRates(), newRate()]
    await rates.heard(answers(rate, 0, 1), newId())
    expect(await perSecond(rate)).toBe(9_000)
  })

  test('credentials without a limit of their own are slowed down by a quota answer too, and have none again later', async () => {
    const [rates, rate] = [openRates(), newRate(null)]
    expect(await turnOf(rates, rate)).toBe(0)
    await rates.heard(answers(rate, 1_200, 300), newId())
    expect(await perSecond(rate)).toBeCloseTo(14, 0)
    await letTimePass(rate, 400)
    expect(await turnOf(openRates(), rate)).toBe(0)
    expect(await perSecond(rate)).toBeNull()
  })

  test('an app sees that its credentials are slowed down, until the rate has grown back', async () => {
    const [rates, rate, appId] = [openRates(), newRate(), newId()]
    expect(await listSlowed(db, appId)).toEqual([])
    await rates.heard(answers(rate, 6_000, 24_000), appId)
    expect(await listSlowed(db, appId)).toMatchObject([{ platform: 'android', since: expect.any(String) }])
    expect((await listSlowed(db, appId))[0]?.perSecond).toBeCloseTo(100, 0)
    await letTimePass(rate, 600)
    expect(await listSlowed(db, appId)).toEqual([])
  })

  test('batches that are asked for together have their turns one after the other', async () => {
    const [appId, rate] = [newId(), newRate(10)]
    await givenCrowd(db, { appId, count: 1_500, platform: 'android' })
    const batches = await givenBatches(appId)
    const rates = openRates()
    await rates.took(rate, 100)
    const held = await rates.withoutTurn(batches.map((batchId) => ({ batchId, rate })))
    expect(held.map(({ batchId }) => batchId)).toEqual(batches.slice(1))
    // They are looked at again after 10 s, since the rate may have grown.
    expect(held.map(({ inMs }) => inMs)).toEqual([10_000, 10_000])
  })

  test('a bulk batch waits for its turn with attempts and window place kept; with ttl 0 it is taken', async () => {
    const [appId, rate] = [newId(), newRate(10)]
    await givenCrowd(db, { appId, count: 1_500, platform: 'android' })
    const [first = '', second = '', third = ''] = await givenBatches(appId)
    const [now = ''] = await givenBatches(appId, givenSend(appId, { ttl: 0 }))
    const rates = openRates()
    await rates.took(rate, 100)

    expect((await take(asked(first, { credentialsVersion: 1, rate })))[0]?.answer).toBe('taken')
    expect(
      (await take(asked(second, { credentialsVersion: 1, rate }), asked(third, { credentialsVersion: 1, rate }))).map(
        ({ answer }) => answer,
      ),
    ).toEqual(['held', 'held'])
    const row = await db.selectFrom('batches').selectAll().where('id', '=', second).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ takes: 0, tries: 0, not_before: null, held_since: null })
    expect(row.turn_at?.getTime()).toBeGreaterThan(Date.now() + 5_000)
    expect(row.due_at).toEqual(row.turn_at)
    expect((await take(asked(now, { credentialsVersion: 1, rate })))[0]?.answer).toBe('taken')

    // A small send is given to a dispatcher without being asked for; it counts when the dispatcher asks for its devices.
    const before = await rowOf(rate)
    await take(asked(now, { credentialsVersion: 1, rate, takes: 1 }))
    expect((await rowOf(rate)).next_at.getTime() - before.next_at.getTime()).toBeGreaterThan(1_000)

    await letTimePass(rate, 120)
    expect((await take(asked(second, { credentialsVersion: 1, rate: { ...rate, scope: `${rate.scope} of another` } })))[0]?.answer).toBe(
      'taken',
    )
  })
})
