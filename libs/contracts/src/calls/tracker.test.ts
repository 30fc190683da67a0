import { expect, test } from 'vitest'
import { packIds } from '../compact-ids.ts'
import { newId } from '../ids.ts'
import { groupEnds, type PushEnd } from '../outcome.ts'
import { mostPushesReported, QueuedBatch, recordOutcomes, reportQueued } from './tracker.ts'

const ids = (count: number) => packIds(Array.from({ length: count }, () => newId()))
const batch = (count: number, fields: object = {}) => ({
  no: 1,
  platform: 'ios',
  subscriptionIds: ids(count),
  userIds: ids(count),
  ...fields,
})
const report = (batches: unknown[]) => ({
  ...{ campaignId: newId(), appId: newId(), day: '2026-01-31', name: 'Spring', transactional: false },
  ...{ byPlatform: { ios: 1, android: 0, web: 0 }, fannedOut: true, batches },
})
const isReport = (...reports: unknown[]) => reportQueued.request.safeParse({ reports }).success

test('a report of queued pushes has 1 to 500 complete device ids in a batch, and as many user ids', () => {
  for (const count of [1, 2, 3, 500]) expect(QueuedBatch.safeParse(batch(count)).success).toBe(true)
  for (const wrong of [
    batch(501),
    batch(0),
    batch(2, { userIds: ids(1) }),
    batch(2, { subscriptionIds: ids(2).slice(0, -1) }),
    batch(1, { subscriptionIds: Buffer.alloc(11).toString('base64') }),
    batch(1, { subscriptionIds: '-'.repeat(16) }),
    batch(1, { no: 0 }),
  ])
    expect(QueuedBatch.safeParse(wrong).success).toBe(false)
})

test('one call carries at most 200 reports of queued pushes, with 20,000 pushes in all', () => {
  const full = Array.from({ length: mostPushesReported / 500 }, (_, index) => batch(500, { no: index + 1 }))
  expect(isReport(report(full))).toBe(true)
  expect(isReport(report(full), report([batch(1)]))).toBe(false)
  expect(isReport(...Array.from({ length: 200 }, () => report([])))).toBe(true)
  expect(isReport(...Array.from({ length: 201 }, () => report([])))).toBe(false)
  expect(isReport()).toBe(false)
})

test('outcomes that are equal travel once, with the places of all their pushes; a place above 499 is refused', () => {
  const sent: PushEnd = { place: 0, outcome: 'sent', code: '', providerCode: '200', variant: '', attempts: 1, tokenVersion: 1 }
  const variants = Array.from({ length: 300 }, (_, place) => ({ ...sent, place, variant: place % 3 === 0 ? 'a' : 'b' }))
  const results = groupEnds(variants)
  expect(results.map(({ variant, places }) => [variant, places.length])).toEqual([
    ['a', 100],
    ['b', 200],
  ])
  expect(results.flatMap(({ places }) => places).toSorted((one, other) => one - other)).toEqual(variants.map(({ place }) => place))
  const about = { appId: newId(), campaignId: newId(), day: '2026-01-31', platform: 'ios', no: 3 }
  expect(recordOutcomes.request.safeParse({ batches: [{ ...about, results }] }).success).toBe(true)
  const beyond = [{ ...sent, places: [500] }]
  expect(recordOutcomes.request.safeParse({ batches: [{ ...about, results: beyond }] }).success).toBe(false)
})
