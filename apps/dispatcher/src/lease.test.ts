import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepLease } from './lease.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a lease that is renewed does not end', async () => {
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

test('a lease ends at once when audience refuses to renew it', async () => {
  const lease = keepLease(performance.now(), () => Promise.resolve(false))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(lease.lost.aborted).toBe(true)
  expect(lease.held).toBe(false)
})

// spec: sending/take-over
test('while audience answers no renewal, a lease lasts for 12 s from the moment when the batch was asked for', async () => {
  const lease = keepLease(performance.now() - 1_000, () => Promise.reject(new Error('away')))
  await vi.advanceTimersByTimeAsync(10_999)
  expect(lease.held).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(lease.held).toBe(false)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(lease.lost.aborted).toBe(true)
})

test('a dispatcher whose lease has ended goes on renewing, so no other takes the batch, but sends nothing more', async () => {
  let isAway = true
  const renewedAt: number[] = []
  const lease = keepLease(performance.now(), () => {
    if (isAway) return Promise.reject(new Error('away'))
    renewedAt.push(performance.now())
    return Promise.resolve(true)
  })
  await vi.advanceTimersByTimeAsync(60_000)
  isAway = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(renewedAt.length).toBeGreaterThan(2)
  expect(lease.held).toBe(false)
  expect(lease.takenAway.aborted).toBe(false)
  lease.release()
})

test('once audience says that another dispatcher has the batch, no further renewal is asked for', async () => {
  let asked = 0
  const lease = keepLease(performance.now(), () => Promise.resolve((asked += 1) < 2))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(2)
  expect(lease.takenAway.aborted).toBe(true)
})

test('a process that was frozen finds its lease ended before any of its timers runs', () => {
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
