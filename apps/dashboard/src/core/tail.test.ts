import { expect, test } from 'vitest'
import { emptyTail, matches, mostShown, nextTail, type Tail, type TailEvent } from './tail.ts'

const event = (n: number, changes: Partial<TailEvent> = {}): TailEvent => ({
  id: `evt_${n}`,
  type: 'notification.sent',
  ts: '2026-02-06T15:00:00.000Z',
  platform: 'ios',
  ...changes,
})
const take = (tail: Tail, n: number) => nextTail(tail, { do: 'take', event: event(n), filter: {} })

test('the newest event is at the top of the live tail, and an event that comes twice is shown once', () => {
  const tail = [1, 2, 2, 1].reduce(take, emptyTail)
  expect(tail.shown.map(({ id }) => id)).toEqual(['evt_2', 'evt_1'])
})

test('a paused live tail does not change, and shows the events of the pause when it goes on', () => {
  const paused = [2, 3].reduce(take, nextTail(take(emptyTail, 1), { do: 'pause' }))
  expect([paused.shown.length, paused.held.length]).toEqual([1, 2])
  const resumed = nextTail(paused, { do: 'resume' })
  expect(resumed.shown.map(({ id }) => id)).toEqual(['evt_3', 'evt_2', 'evt_1'])
  expect(resumed.held).toEqual([])
})

// spec: dashboard/live-tail
test('the live tail keeps the newest 200 events, and counts those that it could not hold during a pause', () => {
  const many = Array.from({ length: mostShown + 50 }, (_, n) => n)
  const running = many.reduce(take, emptyTail)
  expect([running.shown.length, running.dropped]).toEqual([mostShown, 0])
  const paused = many.reduce(take, nextTail(emptyTail, { do: 'pause' }))
  expect([paused.held.length, paused.dropped]).toEqual([mostShown, 50])
  expect(nextTail(paused, { do: 'drop', count: 7 }).dropped).toBe(57)
})

// spec: dashboard/live-tail
test('the live tail shows only events that fit the filters of the log', () => {
  const failed = event(1, { type: 'notification.failed', data: { code: 'token_dead' }, campaignId: 'c' })
  const skipped = event(2, { type: 'notification.skipped', data: { reason: 'quiet_hours' } })
  expect(matches(failed, { outcome: 'failed', code: 'token_dead', platform: 'ios', campaignId: 'c' })).toBe(true)
  expect(matches(failed, { platform: 'web' })).toBe(false)
  expect(matches(failed, { campaignId: 'd' })).toBe(false)
  expect(matches(skipped, { code: 'quiet_hours' })).toBe(true)
  expect(matches(skipped, { outcome: 'failed' })).toBe(false)
  expect(matches(event(3), { outcome: 'open' })).toBe(false)
})
