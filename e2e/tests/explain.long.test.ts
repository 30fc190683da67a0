import type { Explained, Trace } from '@herald/contracts/explain'
import { toSimulator } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { sharedProcesses } from '../platform.ts'
import { givenManyDevices } from '../chaos/crowd.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { ledgerOf, ok, textOf, untilStatus } from './campaigns.ts'

const herald = await sharedProcesses()

afterEach(() => fetch(`${herald.simulator}/faults`, { method: 'DELETE', headers: toSimulator }))

const ask = (tenant: Tenant, campaignId: string, subscriptionId: string) =>
  tenant.admin<Explained>('GET', `/explain?${new URLSearchParams({ campaignId, subscriptionId }).toString()}`)
const notify = async (tenant: Tenant): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf('Hello'), target: { all: true } }), 202).id
const attemptsOf = ({ steps }: Trace) => steps.flatMap((step) => (step.step === 'attempts' ? step.attempts : []))

// spec: administration/explain-certainty
test('while services are killed, explain never denies a queued push and never changes a shown outcome', { timeout: 240_000 }, async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenManyDevices({ herald, tenant }, 600)
  const some = devices.filter((_device, place) => place % 30 === 0).map(({ subscriptionId }) => subscriptionId)
  await tenant.simulator('PUT', '/devices/behaviour', { answer: 'unavailable', times: 1, share: 0.2 })
  const seen: { campaignId: string; trace: Trace }[] = []
  const sends: string[] = []
  for (const app of ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']) {
    await tenant.simulator('PUT', '/faults', { latencyMs: 200 })
    const campaignId = await notify(tenant)
    sends.push(campaignId)
    const pid = await until(() => readyPid(herald.dataDir, `${app}-1`), { withinMs: 30_000, what: `${app} is ready` })
    signalAll([pid], 'SIGKILL')
    for (const subscriptionId of some) {
      const answer = await ask(tenant, campaignId, subscriptionId).catch(() => undefined)
      const trace = answer?.status === 200 ? answer.body.devices[0] : undefined
      if (trace) seen.push({ campaignId, trace })
    }
    await until(() => readyPid(herald.dataDir, `${app}-1`) !== undefined && readyPid(herald.dataDir, `${app}-1`) !== pid, {
      withinMs: 60_000,
      what: `${app} is back`,
    })
  }
  for (const id of sends) await untilStatus(tenant, id, 'sent')

  const final = new Set(['sent', 'failed', 'skipped'])
  expect(seen.length).toBeGreaterThan(some.length)
  expect(seen.some(({ trace }) => trace.certainty === 'recorded' && !final.has(trace.verdict))).toBe(true)
  for (const campaignId of sends) {
    const ledger = new Map((await ledgerOf(tenant, campaignId)).map((row) => [row.subscriptionId, row]))
    expect(ledger.size).toBe(devices.length)
    for (const subscriptionId of some) {
      const now = ok(await ask(tenant, campaignId, subscriptionId), 200).devices[0]!
      expect(now).toMatchObject({ verdict: ledger.get(subscriptionId)?.outcome, certainty: 'recorded' })
      expect(attemptsOf(now)).toHaveLength(ledger.get(subscriptionId)?.attempts ?? 0)
      const before = seen.filter((one) => one.campaignId === campaignId && one.trace.subscriptionId === subscriptionId)
      const verdicts = before.map(({ trace }) => trace.verdict)
      expect(verdicts).not.toContain('not_queued')
      expect(verdicts.filter((verdict) => final.has(verdict) && verdict !== now.verdict)).toEqual([])
    }
  }
})
