import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenManyDevices } from '../chaos/crowd.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { ok, pushesOf, read, sendCampaign, untilSettled } from './campaigns.ts'

let herald: Herald
beforeAll(async () => {
  herald = await startHerald({ env: { HERALD_INSTANCES: 'audience=2,dispatcher=2', LOG_LEVEL: 'info' } })
})
afterAll(async () => {
  await herald.stop()
  removeDataDir(herald.dataDir)
})

type Shown = { aps: { badge: number } }

// spec: sending/badge-increment
test(
  'five campaigns at once, while audience and dispatchers are killed, give each device the badges 1 to 5, each once',
  { timeout: 180_000 },
  async () => {
    const tenant = await givenTenant(herald)
    const devices = await givenManyDevices({ herald, tenant }, 1_500, ['ios'])
    await tenant.simulator('PUT', '/faults', { service: 'apns', latencyMs: 150 })
    const send = () => sendCampaign(tenant, { presentation: { badgeIncrement: 1 } }, 'sending')
    const campaigns = await Promise.all([send(), send(), send(), send(), send()])
    for (const name of ['audience-1', 'dispatcher-1', 'audience-2', 'dispatcher-2']) {
      const before = readyPid(herald.dataDir, name) ?? 0
      signalAll([before], 'SIGKILL')
      await until(() => (readyPid(herald.dataDir, name) ?? before) !== before || undefined, { withinMs: 30_000, what: `a new ${name}` })
    }
    for (const id of campaigns) expect(await untilSettled(tenant, id)).toMatchObject({ queued: devices.length, sent: devices.length })

    const badges = new Map<string, Set<number>>()
    for (const id of campaigns) {
      const ofCampaign = new Map<string, number>()
      for (const { deviceId, payload } of await pushesOf(tenant, id)) {
        const { badge } = (payload as Shown).aps
        // A copy that a kill caused shows the number of the first push.
        expect(ofCampaign.get(deviceId) ?? badge).toBe(badge)
        ofCampaign.set(deviceId, badge)
      }
      for (const [deviceId, badge] of ofCampaign) badges.set(deviceId, (badges.get(deviceId) ?? new Set()).add(badge))
    }
    expect(badges.size).toBe(devices.length)
    for (const of of badges.values()) expect([...of].toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5])

    // A session of a device begins anew.
    const first = devices[0]!
    ok(await tenant.call('POST', `/v1/subscriptions/${first.subscriptionId}/session`), 200)
    const again = await send()
    await untilSettled(tenant, again)
    const shown = (await pushesOf(tenant, again)).map(({ deviceId, payload }) => [deviceId, (payload as Shown).aps.badge] as const)
    expect(shown.find(([deviceId]) => deviceId === first.id)?.[1]).toBe(1)
    expect(shown.filter(([, badge]) => badge === 6)).toHaveLength(devices.length - 1)
    expect((await read(tenant, again)).presentation).toEqual({ badgeIncrement: 1 })
  },
)
