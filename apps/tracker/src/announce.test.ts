import { expect, test } from 'vitest'
import { portions } from './announce.ts'

test('events are split in order into announcements of at most 1,000, none lost; without events there is none', () => {
  const event = (n: number) => ({ type: 'notification.sent' as const, at: '', appId: '', campaignId: String(n) })
  const events = Array.from({ length: 2_001 }, (_, n) => event(n))
  expect(portions(events).map((portion) => portion.length)).toEqual([1_000, 1_000, 1])
  expect(portions(events).flat()).toEqual(events)
  expect(portions([])).toEqual([])
})
