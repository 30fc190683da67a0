import { expect, test } from 'vitest'
import { skipRule, type SkipFacts } from './queueing.ts'

const allDay = { start: '00:00', end: '23:59', action: 'skip' } as const
const facts: SkipFacts = {
  ...{ appId: 'a'.repeat(24), silent: true, holdout: { percent: 100, generation: 1, since: '2026-01-01T00:00:00.000Z' } },
  ...{ skipIn: allDay, defaultTimezone: 'UTC', at: new Date('2026-03-01T12:00:00Z'), expired: true },
}
const device = { id: 'd'.repeat(24), userId: 'u'.repeat(24), platform: 'web', zone: null, isOutside: true, isOptedOut: true } as const

// spec: tracking/first-reason
test('of several reasons to skip a push at once the first of the order counts', () => {
  const because = (change: Partial<SkipFacts>, of: object = {}) => skipRule({ ...facts, ...change })({ ...device, ...of })
  expect(because({})).toBe('holdout')
  const free = { holdout: null }
  expect(because(free)).toBe('unsubscribed')
  expect(because(free, { isOutside: false })).toBe('opted_out')
  const there = { isOutside: false, isOptedOut: false }
  expect(because(free, there)).toBe('expired')
  expect(because({ ...free, expired: false }, there)).toBe('silent_web')
  expect(because({ ...free, expired: false, silent: false }, there)).toBe('quiet_hours')
  expect(because({ ...free, expired: false, silent: false, skipIn: null }, there)).toBeNull()
})
