import { expect, test } from 'vitest'
import { play } from '../chaos/scenario.ts'
import { scenarios } from '../chaos/scenarios.ts'

/** The scenarios that are quick and give the same result in every run, with the number of devices. docs/faults.md lists all scenarios. */
const quick = [
  ['owner-changed', 2],
  ['goaway', 6_000],
  ['wrong-environment', 500],
  ['canary', 3],
  ['skewed-clocks', 300],
] as const

// spec: sending/secrets, sending/recipients-now, providers/apns-environments, providers/refused-again, webhooks/event-secrets
test.each(quick)('Herald keeps the promise of the fault scenario %s', { timeout: 240_000 }, async (name, devices) => {
  const scenario = scenarios[name]
  if (!scenario) throw new Error(`there is no scenario ${name}`)

  const { wrong } = await play(scenario, { devices, say: () => undefined })

  expect(wrong).toEqual([])
})
