import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { gather, messageOf } from './library.ts'

test('the library gets the message as Herald built it, except for the ttl, which it wants in milliseconds', () => {
  const wire = {
    token: 't',
    data: { msgId: 'm' },
    android: { priority: 'high', ttl: '60s', collapse_key: 'c', notification: { channel_id: 'x' } },
  }
  const message = messageOf({ body: JSON.stringify({ message: wire }), ttlSeconds: 60 })
  expect(message).toEqual({ ...wire, android: { ...wire.android, ttl: 60_000 } })
})

const limits = { most: 3, enough: 3, patienceMs: 5, callsAtOnce: 2 }

test('a single push is sent to FCM at once; pushes ready at the same moment travel in one call', async () => {
  const calls: number[][] = []
  const hand = gather<number>(async (items) => void calls.push(items), { ...limits, patienceMs: 60_000 })
  hand(1)
  await until(() => calls.length === 1)
  hand(2)
  hand(3)
  await until(() => calls.length === 2)
  expect(calls).toEqual([[1], [2, 3]])
})

test('a hanging call to FCM holds up no other, and no more calls than allowed run at once', async () => {
  const calls: number[][] = []
  const endings: (() => void)[] = []
  const hand = gather<number>((items) => {
    calls.push(items)
    return new Promise((end) => endings.push(end))
  }, limits)
  hand(1)
  await until(() => calls.length === 1)
  hand(2)
  await until(() => calls.length === 2)
  for (const item of [3, 4, 5, 6]) hand(item)
  await new Promise((resolve) => setImmediate(resolve))
  expect(calls).toEqual([[1], [2]])
  endings[0]?.()
  await until(() => calls.length === 3)
  endings[1]?.()
  await until(() => calls.length === 4)
  expect(calls).toEqual([[1], [2], [3, 4, 5], [6]])
})
