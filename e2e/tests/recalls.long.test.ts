import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenManyDevices } from '../chaos/crowd.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { ledgerOf, ok, pushesOf, read, sendCampaign, textOf, untilSettled, untilStatus } from './campaigns.ts'
import { identityOf } from './recalls.ts'

let herald: Herald
beforeAll(async () => {
  herald = await startHerald({ env: { HERALD_INSTANCES: 'campaigns=2,audience=2,dispatcher=2', LOG_LEVEL: 'info' } })
})
afterAll(async () => {
  await herald.stop()
  removeDataDir(herald.dataDir)
})

const kill = async (name: string): Promise<void> => {
  const before = readyPid(herald.dataDir, name) ?? 0
  signalAll([before], 'SIGKILL')
  await until(() => (readyPid(herald.dataDir, name) ?? before) !== before || undefined, { withinMs: 30_000, what: `a new ${name}` })
}

// spec: recall/once, recall/identity
test(
  'a recall asks each device that was sent the first exactly once, with campaigns, audience and dispatchers killed meanwhile',
  { timeout: 240_000 },
  async () => {
    const tenant = await givenTenant(herald)
    await givenManyDevices({ herald, tenant }, 1_500)
    for (const service of ['apns', 'fcm', 'web-push']) await tenant.simulator('PUT', '/faults', { service, latencyMs: 200 })
    const id = await sendCampaign(tenant, { sendRate: { perMinute: 6_000 } }, 'sending')
    await until(async () => (await read(tenant, id)).stats.sent > 200 || undefined, { withinMs: 60_000, what: '200 pushes' })

    const body = { mode: 'replace', content: textOf('Correction') }
    const recalled = ok(await tenant.call<{ id: string }>('POST', `/v1/campaigns/${id}/recall`, body), 202)
    for (const name of ['campaigns-1', 'campaigns-2', 'audience-1', 'dispatcher-1', 'audience-2', 'dispatcher-2', 'campaigns-1'])
      await kill(name)

    const { stats } = await untilStatus(tenant, id, 'cancelled')
    expect(stats.queued).toBe(stats.sent + stats.failed + stats.skipped)
    expect(await untilSettled(tenant, recalled.id)).toMatchObject({ queued: stats.sent, sent: stats.sent })
    const { body: list } = await tenant.admin<{ items: { id: string; recallOf: string | null }[] }>('GET', '/campaigns')
    expect(list.items.filter(({ recallOf }) => recallOf === id).map((one) => one.id)).toEqual([recalled.id])

    const sentFirst = (await ledgerOf(tenant, id, '&outcome=sent')).map(({ subscriptionId }) => subscriptionId).toSorted()
    const asked = await ledgerOf(tenant, recalled.id)
    expect(asked.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(sentFirst)
    // A copy that a kill caused has the identity of its push: a device shows one.
    const first = new Map((await pushesOf(tenant, id)).map((push) => [push.deviceId, identityOf(push)]))
    const second = await pushesOf(tenant, recalled.id)
    expect(new Set(second.map(({ deviceId }) => deviceId)).size).toBe(stats.sent)
    expect(new Set(second.map(({ msgId }) => msgId)).size).toBe(stats.sent)
    for (const push of second) expect(identityOf(push)).toEqual(first.get(push.deviceId))
  },
)
