import type { Tenant } from '@herald/testing/tenant'
import { givenCrowd, type Registered } from './crowd.ts'
import { endFaults, faults, type FaultName, type Stage } from './faults.ts'
import { onPlatform } from './platform.ts'
import { seeded } from './random.ts'
import { send, settle } from './sends.ts'
import { isGood, judge, type Campaign, type Verdict } from './verdict.ts'

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

/** A lease, one more of who took it over and died too, the sweeps after them, and a busy machine. Longer than that, something stood still. */
const settledWithinSeconds = 60

/**
 * One run: the whole platform as processes, sends with Idempotency-Keys that are repeated until they are accepted, faults picked by
 * the seed all the while; then peace, and the verdict by the simulator's record. The same seed picks the same faults in
 * the same order (what they hit also depends on the machine's timing).
 */
export function runSeed({ seed, seconds, devicesPerPlatform, faultNames, print }: SeedOptions): Promise<SeedResult> {
  return onPlatform({ LOG_LEVEL: 'warn', HERALD_INSTANCES: 'dispatcher=2,audience=2' }, async (platform) => {
    const { tenant } = platform
    const devices = await givenCrowd(platform, devicesPerPlatform * 3)
    const stage: Stage = { ...platform, random: seeded(seed) }

    const endAt = performance.now() + seconds * 1000
    const [done, campaigns] = await Promise.all([makeTrouble(stage, faultNames, endAt, print), keepSending(tenant, devices, endAt)])
    await endFaults(stage)

    const secondsToSettle = await settle(tenant, campaigns)
    const verdict = await judge(tenant, campaigns)
    const copiesAllowed = done.reduce((sum, { dispatchersLost }) => sum + dispatchersLost, 0) * dispatchWindow
    return {
      seed,
      good: isGood(verdict, copiesAllowed) && secondsToSettle <= settledWithinSeconds,
      verdict,
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
    await new Promise((resolve) => setTimeout(resolve, stage.random.between(300, 2_000)))
    const one = await faults[stage.random.pick(names)](stage)
    done.push(one)
    print(`  ${one.what}`)
  }
  return done
}

/** A send to all every second. */
async function keepSending(tenant: Tenant, devices: Registered[], endAt: number): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for (let number = 0; performance.now() < endAt; number += 1) {
    campaigns.push(await send(tenant, `chaos-${number}`, devices))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  return campaigns
}
