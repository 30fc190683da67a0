import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givenManyDevices } from '../chaos/crowd.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { send, untilAllSettled } from '../chaos/sends.ts'
import { devicesOf, ok, pushesOf, read, sendCampaign } from './campaigns.ts'

const perMinute = 600

/** Gives how many of these instants lie at most in one window of this length. */
function mostWithin(instants: number[], windowMs: number): number {
  let [most, first] = [0, 0]
  for (const [last, at] of instants.entries()) {
    while (at - instants[first]! > windowMs) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
/** When the simulator accepted the pushes of a campaign. */
const acceptedAt = async (tenant: Tenant, id: string): Promise<number[]> =>
  (await pushesOf(tenant, id)).map(({ at }) => at).toSorted((one, other) => one - other)
/** The pushes a second from the first to the last of these instants. */
const paceOf = (instants: number[]): number => (instants.length - 1) / ((instants.at(-1)! - instants[0]!) / 1_000)

const untilSent = (tenant: Tenant, id: string, withinMs: number) =>
  until(async () => (await read(tenant, id)).status === 'sent' || undefined, { withinMs, what: 'the end of the send' })
const change = async (tenant: Tenant, id: string, rate: number | null) =>
  ok(await tenant.admin<{ etaSeconds: number | null }>('POST', `/campaigns/${id}/rate`, { perMinute: rate }), 200)

for (const dispatchers of [1, 2, 4]) {
  // spec: sending/rate
  test(
    `with ${dispatchers} dispatchers 600 a minute gives at most 610 pushes in any minute, and on average 97 %`,
    { timeout: 240_000 },
    async () => {
      const herald = await startHerald({ env: { HERALD_INSTANCES: `dispatcher=${dispatchers}`, LOG_LEVEL: 'info' } })
      try {
        const tenant = await givenTenant(herald)
        const devices = await givenManyDevices({ herald, tenant }, 690)
        const id = await sendCampaign(tenant, { sendRate: { perMinute } }, 'sending')
        await untilSent(tenant, id, 120_000)
        const instants = await acceptedAt(tenant, id)
        expect(instants).toHaveLength(devices.length)
        expect(mostWithin(instants, 60_000)).toBeLessThanOrEqual(perMinute + perMinute / 60)
        expect(paceOf(instants)).toBeGreaterThanOrEqual((0.97 * perMinute) / 60)
      } finally {
        await herald.stop()
        removeDataDir(herald.dataDir)
      }
    },
  )
}

describe('a send with a rate, with two of audience and two dispatchers', () => {
  let herald: Herald
  beforeAll(async () => {
    herald = await startHerald({ env: { HERALD_INSTANCES: 'dispatcher=2,audience=2', LOG_LEVEL: 'info' } })
  })
  afterAll(async () => {
    await herald.stop()
    removeDataDir(herald.dataDir)
  })

  // spec: sending/rate, sending/rate-changed
  test('a changed rate is obeyed within two seconds, up and down, and another app’s send is not slowed', { timeout: 120_000 }, async () => {
    const [tenant, other] = [await givenTenant(herald), await givenTenant(herald)]
    await givenManyDevices({ herald, tenant }, 3_000)
    const others = await givenManyDevices({ herald, tenant: other }, 300)
    const id = await sendCampaign(tenant, { sendRate: { perMinute } }, 'sending')
    /** Counts the pushes of a time that begins two seconds after now. */
    const countFor = async (ms: number) => {
      const from = Date.now() + 2_000
      await until(() => Date.now() > from + ms || undefined, { withinMs: ms + 5_000 })
      return (await acceptedAt(tenant, id)).filter((at) => at >= from && at < from + ms).length
    }
    // 50 have their turn in this time, and one second's may be late. All 3,000 would be sent in it without a rate.
    expect(await countFor(5_000)).toBeLessThanOrEqual(50 + 2 * (perMinute / 60))

    const { etaSeconds } = await change(tenant, id, 6_000)
    expect(etaSeconds).toBeGreaterThan(20)
    expect(etaSeconds).toBeLessThan(40)
    const up = await countFor(5_000)
    expect(up).toBeGreaterThan(0.9 * 500)
    expect(up).toBeLessThanOrEqual(500 + 100 + 50)

    const began = Date.now()
    await untilAllSettled(other, [await send(other, 'unhurt', others)])
    expect(Date.now() - began).toBeLessThan(5_000)

    await change(tenant, id, perMinute)
    // Batches of 50 that were queued before go out whole, one in five seconds.
    expect(await countFor(10_000)).toBeLessThanOrEqual(150)
    expect(await change(tenant, id, null)).toEqual({ perMinute: null, etaSeconds: null })
    await untilSent(tenant, id, 20_000)
  })

  // spec: sending/rate
  test(
    'while services are killed a send keeps below its rate, and every device gets it; copies have the same msgId',
    { timeout: 240_000 },
    async () => {
      const tenant = await givenTenant(herald)
      const devices = await givenManyDevices({ herald, tenant }, 450)
      const id = await sendCampaign(tenant, { sendRate: { perMinute } }, 'sending')
      for (const name of [
        'dispatcher-1',
        'audience-1',
        'tracker-1',
        'campaigns-1',
        'gateway-1',
        'dispatcher-2',
        'audience-2',
        'webhooks-1',
      ]) {
        const before = readyPid(herald.dataDir, name) ?? 0
        const sent = (await acceptedAt(tenant, id)).length
        await until(async () => (await acceptedAt(tenant, id)).length > sent || undefined, { withinMs: 30_000, what: 'further pushes' })
        signalAll([before], 'SIGKILL')
        await until(() => (readyPid(herald.dataDir, name) ?? before) !== before || undefined, { withinMs: 30_000, what: `a new ${name}` })
      }
      await untilSent(tenant, id, 120_000)

      const pushes = await pushesOf(tenant, id)
      expect([...new Set(devicesOf(pushes))]).toHaveLength(devices.length)
      expect(new Set(pushes.map(({ msgId }) => msgId)).size).toBe(devices.length)
      // A dispatcher that is killed between a provider's answer and its report sends one batch, of five pushes, again.
      const copies = pushes.length - devices.length
      expect(copies).toBeLessThanOrEqual(10)
      const instants = pushes.map(({ at }) => at).toSorted((one, other) => one - other)
      // Copies are retries, which come on top of the rate.
      expect(mostWithin(instants, 60_000)).toBeLessThanOrEqual(perMinute + perMinute / 60 + copies)
      expect(mostWithin(instants, 10_000)).toBeLessThanOrEqual(100 + 2 * (perMinute / 60) + copies)
      expect((await read(tenant, id)).stats).toMatchObject({ queued: devices.length, sent: devices.length, failed: 0, skipped: 0 })
    },
  )
})
