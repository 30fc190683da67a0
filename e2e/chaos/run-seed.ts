import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '@herald/testing/tenant'
import { givenCrowd, type Registered } from './crowd.ts'
import { endFaults, faults, type FaultName, type Stage } from './faults.ts'
import { onPlatform } from './platform.ts'
import { seeded } from './random.ts'
import { send, untilAllSettled } from './sends.ts'
import { isGood, compareWithRecord, type Campaign, type ScenarioResult } from './scenario-result.ts'

export type SeedOptions = {
  seed: number
  /** For how many seconds faults are made. */
  seconds: number
  devicesPerPlatform: number
  faultNames: readonly FaultName[]
  print: (line: string) => void
}
export type SeedResult = ScenarioResult & {
  seed: number
  good: boolean
  copiesAllowed: number
  faults: string[]
  campaigns: number
  secondsToSettle: number
}

/**
 * The default of DISPATCH_WINDOW, and so how many copies a killed dispatcher may cause. A dispatcher has at most this many pushes that are
 * unanswered, or whose outcomes are not committed.
 */
const dispatchWindow = 1_000

/**
 * A run is good only when its sends have settled this long after the last fault. Enough for two leases (a second dispatcher may have died too), the
 * sweep after each, and a busy machine.
 */
const settledWithinSeconds = 60

/**
 * Runs one seed: the whole platform sends while the seed picks faults; sends are repeated until accepted. Afterwards counters are compared with the
 * simulator's record. The same seed picks the same faults in the same order.
 */
export function runSeed({ seed, seconds, devicesPerPlatform, faultNames, print }: SeedOptions): Promise<SeedResult> {
  const instances =
    process.env.HERALD_PROCESSES === '1' ? {} : { HERALD_INSTANCES: process.env.HERALD_INSTANCES ?? 'dispatcher=2,audience=2' }
  return onPlatform({ LOG_LEVEL: 'warn', ...instances }, async (platform) => {
    const { tenant } = platform
    const devices = await givenCrowd(platform, devicesPerPlatform * 3)
    const stage: Stage = { ...platform, random: seeded(seed) }

    const endAt = performance.now() + seconds * 1000
    const [done, campaigns] = await Promise.all([makeTrouble(stage, faultNames, endAt, print), keepSending(tenant, devices, endAt)])
    await endFaults(stage)

    const secondsToSettle = await untilAllSettled(tenant, campaigns)
    const result = await compareWithRecord(tenant, campaigns)
    const copiesAllowed = done.reduce((sum, { dispatchersLost }) => sum + dispatchersLost, 0) * dispatchWindow
    return {
      seed,
      good: isGood(result, copiesAllowed) && secondsToSettle <= settledWithinSeconds,
      ...result,
      copiesAllowed,
      faults: done.map(({ what }) => what),
      campaigns: campaigns.length,
      secondsToSettle,
    }
  })
}

async function makeTrouble(stage: Stage, names: readonly FaultName[], endAt: number, print: SeedOptions['print']) {
  const done: Awaited<ReturnType<(typeof faults)[FaultName]>>[] = []
  while (performance.now() < endAt) {
    await sleep(stage.random.between(300, 2_000))
    const one = await faults[stage.random.pick(names)](stage)
    done.push(one)
    print(`  ${one.what}`)
  }
  return done
}

async function keepSending(tenant: Tenant, devices: Registered[], endAt: number): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for (let number = 0; performance.now() < endAt; number += 1) {
    campaigns.push(await send(tenant, `chaos-${number}`, devices))
    await sleep(1_000)
  }
  return campaigns
}
