import { expect, test } from 'vitest'
import { countFitting, isDecided, toRecipient, type DeviceDetails } from './recipient.ts'

const device: DeviceDetails = {
  userId: 'ann',
  platform: 'ios',
  address: 'token',
  p256dh: null,
  auth: null,
  tokenVersion: 4,
  environment: null,
  optedIn: true,
  invalidated: false,
  appVersion: '1.0',
  deviceModel: null,
  browser: null,
  language: 'de',
  timezone: 'Europe/Berlin',
  externalId: 'external',
  country: 'DE',
  userCreatedAt: new Date('2026-01-01T00:00:00.000Z'),
  tags: null,
}
const queued = (change: Partial<DeviceDetails> | null) => ({
  place: 3,
  subscriptionId: 's',
  queuedFor: 'ann',
  device: change && { ...device, ...change },
})
const noNames = { user: [], tags: [], subscription: [] }

test('only what the content names goes along; language and zone always do', () => {
  const recipient = toRecipient(queued({}), { user: ['country', 'createdAt'], tags: [], subscription: ['appVersion', 'browser'] })

  expect(recipient).toMatchObject({
    language: 'de',
    timezone: 'Europe/Berlin',
    user: { country: 'DE', createdAt: '2026-01-01T00:00:00.000Z' },
    subscription: { appVersion: '1.0', browser: null },
  })
  expect(JSON.stringify(recipient)).not.toContain('external')
})

test.each([
  ['deleted', queued(null), 'deleted'],
  ['another person’s, whatever else', queued({ userId: 'bob', invalidated: true, optedIn: false }), 'owner_changed'],
  ['invalidated', queued({ invalidated: true, optedIn: false }), 'invalidated'],
  ['opted out', queued({ optedIn: false }), 'opted_out'],
])('a device that is %s is skipped, in the name of whom it was queued for', (_, one, code) => {
  expect(toRecipient(one, noNames)).toMatchObject({ userId: 'ann', outcome: 'skipped', code, attempts: 0 })
})

test('a part holds about 256 kB, and at least one push', () => {
  const push = (address: string) => toRecipient(queued({ address }), noNames)

  expect(countFitting([])).toBe(0)
  expect(countFitting([push('x'.repeat(400_000)), push('x')])).toBe(1)
  const tokens = Array.from({ length: 500 }, () => push('x'.repeat(160)))
  expect(countFitting(tokens)).toBe(500)
  const large = Array.from({ length: 500 }, () => push('x'.repeat(4_096)))
  const fitting = countFitting(large)
  expect(JSON.stringify(large.slice(0, fitting)).length).toBeLessThan(256_000)
  expect(JSON.stringify(large.slice(0, fitting)).length).toBeGreaterThan(230_000)
  expect(large.some(isDecided)).toBe(false)
})
