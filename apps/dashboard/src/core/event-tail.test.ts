import { expect, test } from 'vitest'
import { keepEvents, mostKept, type SeenEvent } from './event-tail.ts'

const event = (no: number): SeenEvent => ({ id: `evt_${no}`, type: 'notification.sent', ts: '2026-01-01T00:00:00.000Z' })

test('the newest event is at the top, and an event that comes twice is shown once', () => {
  const events = [event(1), event(2), event(1)].reduce<SeenEvent[]>((all, one) => keepEvents(all, one), [])
  expect(events.map(({ id }) => id)).toEqual(['evt_2', 'evt_1'])
})

// spec: dashboard/event-tail
test('the page keeps only the newest 500 events', () => {
  let events: SeenEvent[] = []
  for (let no = 0; no < mostKept + 50; no += 1) events = keepEvents(events, event(no))
  expect(events).toHaveLength(mostKept)
  expect(events[0]?.id).toBe(`evt_${mostKept + 49}`)
})

test.each([null, 'text', {}, { id: 1, type: 'x', ts: 'y' }])('a value that is no event (%j) is ignored', (data) => {
  expect(keepEvents([event(1)], data)).toEqual([event(1)])
})
