import { expect, test } from 'vitest'
import { reachOf } from './reach.ts'

const audience = { devices: 100, users: 90, byPlatform: { ios: 100, android: 0, web: 0 }, exact: true }
const skip = (reason: string, devices: number) => ({ reason, devices, exact: true })

// spec: dashboard/send-number
test('a message gets to the devices of its audience without those that are skipped; opted-out ones are none of them', () => {
  const skips = [skip('frequency_cap', 10), skip('holdout', 5), skip('opted_out', 30)]
  expect(reachOf({ audience, experiment: null, skips, waves: [] })).toEqual({ matched: 100, skipped: 15, get: 85, later: 0 })
})

test('of an A/B test the test group counts', () => {
  const experiment = { inSample: 20, remainder: 80, byVariant: { a: 10, b: 10 } }
  expect(reachOf({ audience, experiment, skips: [skip('frequency_cap', 2)], waves: [] })).toMatchObject({ matched: 20, get: 18 })
})

test('whose wave is not the first gets it later', () => {
  const waves = [60, 30, 10].map((devices) => ({ at: '2026-11-30T08:00:00.000Z', devices }))
  expect(reachOf({ audience, experiment: null, skips: [], waves })).toMatchObject({ get: 100, later: 40 })
})
