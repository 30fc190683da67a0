import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepLease } from './lease.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a lease that is renewed is held', async () => {
  let renewals = 0
  const lease = keepLease(performance.now(), async () => {
    renewals += 1
    return true
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lease.held).toBe(true)
  expect(renewals).toBe(20)
  lease.release()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(renewals).toBe(20)
})

test('a renewal that is refused ends it at once', async () => {
  const lease = keepLease(performance.now(), () => Promise.resolve(false))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(lease.lost.aborted).toBe(true)
  expect(lease.held).toBe(false)
})

test('while nobody answers it is held for 12 s from when it was last asked for', async () => {
  const lease = keepLease(performance.now() - 1_000, () => Promise.reject(new Error('away')))
  await vi.advanceTimersByTimeAsync(10_999)
  expect(lease.held).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(lease.held).toBe(false)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(lease.lost.aborted).toBe(true)
})

test('a process that was frozen finds its lease over before any timer runs', () => {
  let now = 0
  const lease = keepLease(
    0,
    () => Promise.resolve(true),
    () => now,
  )
  now = 60_000
  expect(lease.held).toBe(false)
  expect(lease.lost.aborted).toBe(true)
  lease.release()
})
