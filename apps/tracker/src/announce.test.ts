import { expect, test } from 'vitest'
import { portions } from './announce.ts'

test('an announcement has at most a thousand events, none is lost, and no announcement is empty', () => {
  const event = (n: number) => ({ type: 'notification.sent' as const, at: '', appId: '', campaignId: String(n) })
  const events = Array.from({ length: 2_001 }, (_, n) => event(n))
  expect(portions(events).map((portion) => portion.length)).toEqual([1_000, 1_000, 1])
  expect(portions(events).flat()).toEqual(events)
  expect(portions([])).toEqual([])
})
