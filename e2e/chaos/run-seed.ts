import { removeDataDir, startHerald } from '@herald/testing/herald'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { endFaults, faults, type FaultName, type Stage } from './faults.ts'
import { seeded } from './random.ts'
import { isGood, judge, type Campaign, type CampaignStats, type Verdict } from './verdict.ts'

export type SeedOptions = {
  seed: number
  /** How long faults go on. */
  seconds: number
  devicesPerPlatform: number
  faultNames: readonly FaultName[]
  print: (line: string) => void
}
export type SeedResult = {
  seed: number
  good: boolean
  verdict: Verdict
  copiesAllowed: number
  faults: string[]
  campaigns: number
  secondsToSettle: number
}

/** The dispatcher's default: pushes of one process that may be unanswered or uncommitted at once. */
const dispatchWindow = 1_000
const settleWithinMs = 120_000

/**
 * One run: the whole platform as processes, sends with Idempotency-Keys that are repeated until they are accepted, faults picked by
 * the seed all the while; then peace, and the verdict by the simulator's record. The same seed picks the same faults in
 * the same order (what they hit also depends on the machine's timing).
 */
export async function runSeed({ seed, seconds, devicesPerPlatform, faultNames, print }: SeedOptions): Promise<SeedResult> {
  const random = seeded(seed)
  const herald = await startHerald({ env: { LOG_LEVEL: 'warn', HERALD_INSTANCES: 'dispatcher=2,audience=2' } })
  try {
    const tenant = await givenTenant(herald)
    const devices = await givenCrowd(tenant, herald.baseUrl, devicesPerPlatform)
    const stage: Stage = { herald, tenant, random }

    const endAt = performance.now() + seconds * 1000
    const [done, campaigns] = await Promise.all([makeTrouble(stage, faultNames, endAt, print), keepSending(tenant, devices, endAt)])
    await endFaults(stage)

    const peaceAt = performance.now()
    await settle(tenant, campaigns)
    const secondsToSettle = (performance.now() - peaceAt) / 1000
    const verdict = await judge(tenant, campaigns)
    const copiesAllowed = done.reduce((sum, { dispatchersLost }) => sum + dispatchersLost, 0) * dispatchWindow
    return {
      seed,
      good: isGood(verdict, copiesAllowed),
      verdict,
      copiesAllowed,
      faults: done.map(({ what }) => what),
      campaigns: campaigns.length,
      secondsToSettle,
    }
  } finally {
    await herald.stop()
    removeDataDir(herald.dataDir)
  }
}

async function givenCrowd(tenant: Tenant, baseUrl: string, count: number): Promise<Device[]> {
  const devices: Device[] = []
  for (const platform of ['ios', 'android', 'web'] as const) devices.push(...(await tenant.makeDevices(platform, count, { keyPool: 16 })))
  for (let from = 0; from < devices.length; from += 1_000) {
    const { failed } = await tenant.simulator<{ failed: number }>('POST', '/crowd', {
      baseUrl,
      appKey: tenant.publicKey,
      devices: devices.slice(from, from + 1_000).map(({ id }) => id),
      concurrency: 32,
    })
    if (failed > 0) throw new Error(`${failed} devices did not register`)
  }
  // A dispatcher that is started again asks for the token it had; the simulator's own allowance is not what is tested here.
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
  return devices
}

async function makeTrouble(stage: Stage, names: readonly FaultName[], endAt: number, print: SeedOptions['print']) {
  const done: Awaited<ReturnType<(typeof faults)[FaultName]>>[] = []
  while (performance.now() < endAt) {
    await new Promise((resolve) => setTimeout(resolve, stage.random.between(300, 2_000)))
    const one = await faults[stage.random.pick(names)](stage)
    done.push(one)
    print(`  ${one.what}`)
  }
  return done
}

/** A send every second, each repeated with its key until it is accepted: a 202 is the promise that the verdict holds against. */
async function keepSending(tenant: Tenant, devices: Device[], endAt: number): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for (let number = 0; performance.now() < endAt; number += 1) {
    const id = await until(
      async () => {
        const { status, body } = await tenant.call<{ id: string }>(
          'POST',
          '/v1/notifications',
          { target: { all: true }, content: { _default: 'en', en: { title: 'Chaos', body: `Number ${number}` } } },
          { 'idempotency-key': `chaos-${number}` },
        )
        return status === 202 && body.id
      },
      { withinMs: 60_000, what: `send ${number} is accepted` },
    )
    campaigns.push({
      id,
      devices: devices.map((device) => device.id),
      status: 'sending',
      stats: { queued: 0, sent: 0, failed: 0, skipped: 0 },
    })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  return campaigns
}

/** Waits until every campaign is `sent`; one that is not in time stays as it is seen last. */
async function settle(tenant: Tenant, campaigns: Campaign[]): Promise<void> {
  const giveUpAt = performance.now() + settleWithinMs
  for (const campaign of campaigns) {
    while (campaign.status !== 'sent' && performance.now() < giveUpAt) {
      const answer = await tenant
        .call<{ status: string; stats: CampaignStats }>('GET', `/v1/campaigns/${campaign.id}/stats`)
        .catch(() => undefined)
      if (answer?.status === 200) Object.assign(campaign, { status: answer.body.status, stats: answer.body.stats })
      if (campaign.status !== 'sent') await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
