import { expect, test } from 'vitest'
import { bodyOf, eventsJson, sizeOfBatch, withoutExternalId } from './batch.ts'
import { eventIdOf, isWanted, publicEvent } from './public-event.ts'

const ada = '0'.repeat(24)
const eventOf = (userId: string | null, id = 'evt_1') => ({
  event: JSON.stringify({ id, type: 'notification.sent', ...(userId === null ? {} : { userId }) }),
  userId,
})

// spec: webhooks/batches, webhooks/event-fields
test('the body of a delivery is JSON and has the external id of each user who has one', () => {
  const events = eventsJson([eventOf(ada), eventOf('1'.repeat(24)), eventOf(null)], { [ada]: 'ada "\u{1f600}"' })
  const body = bodyOf('dlv_1', events)
  expect(JSON.parse(body.toString())).toEqual({
    id: 'dlv_1',
    events: [
      { id: 'evt_1', type: 'notification.sent', userId: ada, externalId: 'ada "\u{1f600}"' },
      { id: 'evt_1', type: 'notification.sent', userId: '1'.repeat(24) },
      { id: 'evt_1', type: 'notification.sent' },
    ],
  })
})

test('a user id such as __proto__ gets no external id', () => {
  expect(eventsJson([eventOf('__proto__'), eventOf('toString')], {}).toString()).not.toContain('externalId')
})

// spec: webhooks/erasure
test('removing the external id of a user from a body changes nothing else', () => {
  const bob = '1'.repeat(24)
  const events = eventsJson([eventOf(ada), eventOf(bob), eventOf(null, 'evt_2')], { [ada]: 'ada', [bob]: 'bob' })
  expect(withoutExternalId(events, ada)).toEqual(eventsJson([eventOf(ada), eventOf(bob), eventOf(null, 'evt_2')], { [bob]: 'bob' }))
})

test.each([
  [{ before: 0, waiting: 99, oldestMs: 999 }, 0],
  [{ before: 0, waiting: 99, oldestMs: 1_000 }, 99],
  [{ before: 0, waiting: 100, oldestMs: 0 }, 100],
  [{ before: 30, waiting: 80, oldestMs: 1_000 }, 80],
  [{ before: 30, waiting: 500, oldestMs: 0 }, 70],
  [{ before: 1_299, waiting: 100, oldestMs: 0 }, 1],
])('when %o says what came, how many wait and since when, the next batch takes %i', (given, size) => {
  expect(sizeOfBatch(given)).toBe(size)
})

const given = { type: 'notification.sent', campaignId: 'c'.repeat(24), subscriptionId: 'd'.repeat(24) } as const

// spec: webhooks/event-id
test('an event’s id is the same for the same campaign, device and type, else another', () => {
  expect(eventIdOf(given)).toMatch(/^evt_[0-9a-f]{24}$/)
  expect(eventIdOf({ ...given })).toBe(eventIdOf(given))
  const others = [
    { ...given, type: 'notification.opened' as const },
    { ...given, campaignId: 'e'.repeat(24) },
    { ...given, subscriptionId: 'e'.repeat(24) },
  ]
  expect(new Set([given, ...others].map(eventIdOf)).size).toBe(4)
})

// spec: conversions/event
test('the id of a conversion’s event follows from app and reported id, whatever push it is attributed to', () => {
  const converted = { ...given, type: 'notification.converted', appId: 'a'.repeat(24), data: { eventId: 'order-1' } } as const
  expect(eventIdOf({ ...converted, campaignId: 'e'.repeat(24) })).toBe(eventIdOf(converted))
  expect(eventIdOf({ ...converted, data: { eventId: 'order-2' } })).not.toBe(eventIdOf(converted))
  expect(eventIdOf({ ...converted, appId: 'b'.repeat(24) })).not.toBe(eventIdOf(converted))
})

// spec: webhooks/event-completed
test('campaign.completed names no user, device or platform, whatever the announcement says', () => {
  const at = '2026-01-01T00:00:00Z'
  const shown = publicEvent({
    ...given,
    type: 'campaign.completed',
    at,
    appId: 'a'.repeat(24),
    userId: ada,
    platform: 'ios',
    data: { queued: 1 },
  })
  expect(Object.keys(shown)).toEqual(['id', 'type', 'ts', 'appId', 'campaignId', 'data'])
  expect(shown.ts).toBe('2026-01-01T00:00:00.000Z')
})

// spec: webhooks/event-filter
test('an endpoint that asks for * gets campaign.completed, and one that asks for notification.sent only does not', () => {
  expect(isWanted(['*'], 'campaign.completed')).toBe(true)
  expect(isWanted(['notification.sent'], 'campaign.completed')).toBe(false)
})
