import { isInSample, variantOf } from '@herald/contracts/experiment'
import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import {
  beginNextWave,
  clockIn,
  devicesOf,
  givenDevices,
  idsOf,
  ledgerOf,
  ok,
  pushesOf,
  read,
  sendCampaign,
  setDue,
  untilSettled,
  textOf,
  untilStatus,
  type Shown,
} from './campaigns.ts'

// Schedules, also of experiments and waves, while two processes of campaigns and two of audience look for what is due.

let herald: Herald

beforeAll(async () => {
  herald = await startHerald({ env: { HERALD_INSTANCES: 'campaigns=2,audience=2' } })
})
afterAll(async () => {
  await herald.stop()
  removeDataDir(herald.dataDir)
})

// spec: campaigns/at
test('a campaign for a time two seconds ahead is sent once, and not before that time', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'android', 20)
  const at = Date.now() + 2_000
  const id = await sendCampaign(tenant, { schedule: { type: 'at', at: new Date(at).toISOString() } }, 'scheduled')
  expect(await read(tenant, id)).toMatchObject({ nextAt: new Date(at).toISOString(), startedAt: null, stats: { queued: 0 } })

  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 20, sent: 20, failed: 0, skipped: 0 })
  const pushes = await pushesOf(tenant, id)
  expect(devicesOf(pushes)).toEqual(idsOf(devices))
  // How late a send begins is measured by bench/src/schedules.ts.
  expect(Math.min(...pushes.map((push) => push.at))).toBeGreaterThanOrEqual(at)
  const { items } = ok(await tenant.admin<{ items: Shown[] }>('GET', '/campaigns'), 200)
  expect(items.map((campaign) => [campaign.id, campaign.status])).toEqual([[id, 'sent']])
})

// spec: campaigns/delay, campaigns/unsend
test('a delayed send goes out once although the gateway was killed after answering; an undone one sends nothing then', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'android', 20)
  const draft = async (name: string) =>
    ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name, content: textOf(name) }), 201).id
  const sendIn = async (id: string, delaySeconds: number) =>
    ok(await tenant.admin<{ status: string; nextAt: string }>('POST', `/campaigns/${id}/send`, { delaySeconds }), 202)
  const killGateway = async () => {
    const pid = readyPid(herald.dataDir, 'gateway-1')
    if (pid === undefined) throw new Error('no gateway runs')
    signalAll([pid], 'SIGKILL')
    await until(() => (readyPid(herald.dataDir, 'gateway-1') ?? pid) !== pid, { withinMs: 30_000, what: 'the next gateway' })
  }
  const [undone, kept] = [await draft('Undone'), await draft('Kept')]

  const ofUndone = await sendIn(undone, 3)
  expect(ok(await tenant.admin('POST', `/campaigns/${undone}/unsend`), 200)).toEqual({ id: undone, status: 'draft' })
  await killGateway()
  const ofKept = await sendIn(kept, 3)
  await killGateway()

  expect([ofUndone.status, ofKept.status]).toEqual(['scheduled', 'scheduled'])
  // The undone send would have gone out before the kept one.
  expect(Date.parse(ofUndone.nextAt)).toBeLessThan(Date.parse(ofKept.nextAt))
  expect(await untilSettled(tenant, kept)).toMatchObject({ queued: 20, sent: 20, failed: 0, skipped: 0 })
  const pushes = await pushesOf(tenant, kept)
  expect(devicesOf(pushes)).toEqual(idsOf(devices))
  expect(Math.min(...pushes.map((push) => push.at))).toBeGreaterThanOrEqual(Date.parse(ofKept.nextAt))
  expect(await pushesOf(tenant, undone)).toEqual([])
  expect(await read(tenant, undone)).toMatchObject({ status: 'draft', startedAt: null, stats: { queued: 0 } })
  expect(await tenant.admin('POST', `/campaigns/${kept}/unsend`)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
})

// spec: experiments/recurring
test('each run of a recurring experiment draws its sample anew, and its winner goes to users outside that', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'android', 60)
  const variants = [
    { id: 'short', name: 'Short', weight: 1, content: textOf('Short') },
    { id: 'long', name: 'Long', weight: 1, content: textOf('Long') },
  ]
  const sampleRate = 0.5
  // The occurrence is at the beginning of this minute, so today's occurrence was less than a minute ago.
  const occurrence = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const schedule = { type: 'recurring', every: 'day', localTime: occurrence.toISOString().slice(11, 16), timezone: 'UTC' }
  const parent = await sendCampaign(tenant, { schedule, experiment: { sampleRate, variants } }, 'active')

  /** Makes the occurrence due and waits for its run: a run whose id is not in `known`. */
  const nextRun = async (known: string[]): Promise<string> => {
    await setDue(herald, parent, occurrence)
    const { id } = await until(
      async () => {
        const { items } = ok(await tenant.admin<{ items: Shown[] }>('GET', '/campaigns'), 200)
        return items.find((campaign) => campaign.recurringOf === parent && !known.includes(campaign.id))
      },
      { withinMs: 30_000, what: 'a run' },
    )
    return id
  }
  const expectSample = async (run: string) => {
    const stats = await untilSettled(tenant, run)
    const inSample = devices.filter(({ userId }) => isInSample(sampleRate, run, userId))
    const pushes = await pushesOf(tenant, run)
    expect(devicesOf(pushes)).toEqual(idsOf(inSample))
    for (const { userId, variant, title } of pushes) {
      const { id, name } = variantOf(variants, run, userId)
      expect([variant, title]).toEqual([id, name])
    }
    const ofVariant = (id: string) => ({ sent: pushes.filter(({ variant }) => variant === id).length, failed: 0, skipped: 0 })
    expect(stats).toMatchObject({ queued: pushes.length, sent: pushes.length, failed: 0, skipped: 0 })
    expect(stats.variants).toMatchObject({ short: ofVariant('short'), long: ofVariant('long') })
    return idsOf(inSample)
  }
  const expectRemainder = async (run: string, variant: string, sample: string[]) => {
    const pick = () => tenant.call<{ id: string }>('POST', `/v1/campaigns/${run}/experiment/winner`, { variant })
    const { id: winner } = ok(await pick(), 202)
    const remainder = idsOf(devices).filter((device) => !sample.includes(device))
    expect(await untilSettled(tenant, winner)).toMatchObject({ queued: remainder.length, sent: remainder.length, failed: 0, skipped: 0 })
    expect(devicesOf(await pushesOf(tenant, winner))).toEqual(remainder)
    expect(await read(tenant, winner)).toMatchObject({
      remainderOf: run,
      experiment: null,
      content: textOf(variant === 'short' ? 'Short' : 'Long'),
    })
    expect(await pick()).toMatchObject({ status: 409, body: { error: { code: 'winner_already_sent' } } })
  }

  const first = await nextRun([])
  const firstSample = await expectSample(first)
  // Moves the last run to yesterday, so that today's occurrence is the next.
  await onDatabase(herald, (client) => client.query('update campaigns.campaigns set local_date = local_date - 1 where id = $1', [first]))
  const second = await nextRun([first])
  const secondSample = await expectSample(second)
  expect(secondSample).not.toEqual(firstSample)
  await expectRemainder(first, 'short', firstSample)
  await expectRemainder(second, 'long', secondSample)
  expect(await read(tenant, parent)).toMatchObject({ status: 'active', stats: { queued: 0 } })
  expect(await tenant.call('POST', `/v1/campaigns/${parent}/experiment/winner`, { variant: 'short' })).toMatchObject({ status: 409 })
})

// spec: sending/frequency-cap
test('a cap holds in every wave at local times, and each device’s push has one outcome', async () => {
  const tenant = await givenTenant(herald)
  const max = 2
  ok(await tenant.admin('PATCH', '', { settings: { frequencyCap: { max, windowSeconds: 3_600 } } }), 200)
  /** Makes ten users of a zone with two devices each. */
  const givenUsers = async (timezone: string) => {
    const more = (index: number) => ({ externalId: `${timezone} ${index % 10}`, timezone })
    return givenDevices(tenant, 'android', 20, more)
  }
  const [early, late] = [await givenUsers('Asia/Tokyo'), await givenUsers('America/Lima')]
  const users = (zone: string, from: number, to: number) => Array.from({ length: to - from }, (_, place) => `${zone} ${from + place}`)
  const notify = async (externalIds: string[]) => {
    const { id } = ok(
      await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { externalIds }, content: textOf('Hello') }),
      202,
    )
    await untilSettled(tenant, id)
    return id
  }
  const before = []
  for (const _ of [1, 2]) before.push(await notify(users('Asia/Tokyo', 0, 5)))

  const schedule = { type: 'user_timezone', localTime: clockIn('Asia/Tokyo', 5) }
  const id = await sendCampaign(tenant, { schedule }, 'scheduled')
  await setDue(herald, id, new Date())
  await untilStatus(tenant, id, 'sending')
  await beginNextWave(herald, id)
  const firstWave = async () => {
    const { stats } = await read(tenant, id)
    return stats.sent + stats.skipped === 20 && stats
  }
  expect(await until(firstWave, { withinMs: 30_000, what: 'the first wave' })).toMatchObject({
    queued: 20,
    sent: 10,
    failed: 0,
    skipped: 10,
  })

  // Before the second wave five users of the second zone reach the cap. Two users of the first zone move to the second: one who was at the cap, and
  // one who got the campaign in the first wave.
  for (const _ of [1, 2]) before.push(await notify(users('America/Lima', 0, 5)))
  for (const index of [0, 9]) ok(await tenant.call('PATCH', `/v1/users/${early[index]!.userId}`, { timezone: 'America/Lima' }), 200)
  await beginNextWave(herald, id)
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 40, sent: 20, failed: 0, skipped: 20 })

  const belowCap = [...early, ...late].filter((_, index) => index % 10 >= 5)
  expect(devicesOf(await pushesOf(tenant, id))).toEqual(idsOf(belowCap))
  const skipped = await ledgerOf(tenant, id, '&outcome=skipped&code=frequency_cap')
  expect(skipped.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
    [...early, ...late]
      .filter((one) => !belowCap.includes(one))
      .map((one) => one.id)
      .toSorted(),
  )
  const counts = await campaignsByUser(tenant, [...before, id])
  expect(counts.size).toBe(20)
  expect(Math.max(...counts.values())).toBe(max)
})

/** Counts how many of these campaigns reached each user, by the simulator's record. */
async function campaignsByUser(tenant: Tenant, campaignIds: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const id of campaignIds) {
    const users = new Set((await pushesOf(tenant, id)).map(({ userId }) => userId))
    for (const user of users) counts.set(user, (counts.get(user) ?? 0) + 1)
  }
  return counts
}
