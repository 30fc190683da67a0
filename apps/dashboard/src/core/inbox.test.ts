import { expect, test } from 'vitest'
import { mergePushes, mostPushes, pushesByDevice, reportsOf, wallOf, type ArrivedPush, type WallDevice } from './inbox.ts'

const push = (seq: number, at: string, changes: Partial<ArrivedPush> = {}): ArrivedPush => ({
  seq,
  at,
  deviceId: 'ios-1',
  msgId: 'abc.def',
  shown: { url: 'https://shop.example/' },
  ...changes,
})

// spec: dashboard/inbox-bounded
test('a push that comes from list and stream is shown once, and the newest is at the top', () => {
  const listed = [push(2, '2026-01-01T00:00:02.000Z'), push(1, '2026-01-01T00:00:01.000Z')]
  const streamed = [push(2, '2026-01-01T00:00:02.000Z'), push(3, '2026-01-01T00:00:02.000Z')]
  expect(mergePushes(listed, streamed).map(({ seq }) => seq)).toEqual([3, 2, 1])
})

test('after a simulator’s restart, which counts from 1 again, a new push replaces no older one', () => {
  const merged = mergePushes([push(1, '2026-01-01T00:00:00.000Z')], [push(1, '2026-01-01T01:00:00.000Z')])
  expect(merged.map(({ at }) => at)).toEqual(['2026-01-01T01:00:00.000Z', '2026-01-01T00:00:00.000Z'])
})

// spec: dashboard/inbox-bounded
test('the inbox shows at most 500 pushes and drops the oldest', () => {
  const many = Array.from({ length: mostPushes + 20 }, (_, n) => push(n + 1, new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()))
  const merged = mergePushes([], many)
  expect([merged.length, merged[0]?.seq, merged.at(-1)?.seq]).toEqual([mostPushes, mostPushes + 20, 21])
})

test('the inbox shows each push at the device that got it', () => {
  const merged = [push(2, '2026-01-01T00:00:02.000Z', { deviceId: 'web-1' }), push(1, '2026-01-01T00:00:01.000Z')]
  expect([...pushesByDevice(merged)].map(([id, those]) => [id, those.length])).toEqual([
    ['web-1', 1],
    ['ios-1', 1],
  ])
})

// spec: dashboard/inbox-gestures
test('a tap reports an open, with a link a click too; a button both; a swipe a dismissal', () => {
  const linked = push(1, '2026-01-01T00:00:00.000Z')
  expect(reportsOf(linked, { kind: 'tap' })).toEqual(['/v1/e/o/abc.def', '/v1/e/c/abc.def'])
  expect(reportsOf({ ...linked, shown: { url: null } }, { kind: 'tap' })).toEqual(['/v1/e/o/abc.def'])
  expect(reportsOf(linked, { kind: 'action', actionId: 'track&1' })).toEqual(['/v1/e/o/abc.def', '/v1/e/c/abc.def?action=track%261'])
  expect(reportsOf(linked, { kind: 'swipe' })).toEqual(['/v1/e/x/abc.def'])
})

test('a device reports nothing about a push that showed nothing, or that has no msgId', () => {
  const silent = push(1, '2026-01-01T00:00:00.000Z', { shown: null })
  expect(reportsOf(silent, { kind: 'tap' })).toEqual([])
  expect(reportsOf(push(1, '2026-01-01T00:00:00.000Z', { msgId: null }), { kind: 'swipe' })).toEqual([])
})

test('the inbox shows handmade devices first, then those with the newest pushes, also from unread pages', () => {
  const device = (id: string, byHand: boolean): WallDevice => ({
    id,
    platform: 'ios',
    name: null,
    byHand,
    subscriptionId: null,
    behaviour: { answer: 'ok', retryAfterSeconds: null, delayMs: null },
    environment: '',
  })
  const got = (seq: number, deviceId: string) => ({
    ...push(seq, `2026-01-01T00:00:0${seq}.000Z`, { deviceId }),
    platform: 'web' as const,
    environment: '',
    subscriptionId: null,
  })
  const wall = wallOf(
    [device('mine', true), device('quiet', false), device('busy', false)],
    [got(3, 'far'), got(2, 'busy'), got(1, 'busy')],
  )
  expect(wall.map(({ device: { id }, pushes }) => [id, pushes.length])).toEqual([
    ['mine', 0],
    ['far', 1],
    ['busy', 2],
    ['quiet', 0],
  ])
  expect(wall[1]?.device).toMatchObject({ platform: 'web', name: null, byHand: false })
})
