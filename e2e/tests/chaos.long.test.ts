import { expect, test } from 'vitest'
import { faults, type FaultName } from '../chaos/faults.ts'
import { runSeed } from '../chaos/run-seed.ts'

const everyFault = Object.keys(faults) as FaultName[]

// spec: tracking/counters-exact, sending/committed, administration/series-exact
test.each([1, 2, 3])('while processes die or freeze and providers fail at random, each push is counted once (seed %i)', async (seed) => {
  const faultNames: FaultName[] = ['kill-app', 'kill-app', 'kill-app', ...everyFault]
  const result = await runSeed({ seed, seconds: 12, devicesPerPlatform: 200, faultNames, print: () => undefined })

  expect(result).toMatchObject({ good: true, missing: 0, strangers: 0, unsettled: 0, difference: 0, series: 0, failed: 0 })
  expect(result.campaigns).toBeGreaterThan(0)
})
