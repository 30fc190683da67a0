import { expect, test } from 'vitest'
import { readResponse, type PostAnswer } from './response.ts'

const answered = (status: number | null, retryAfterMs: number | null = null): PostAnswer => ({
  status,
  error: status === null ? 'timeout' : null,
  latencyMs: 5,
  retryAfterMs,
})
const base = { baseMs: 30_000, random: 0 }

// spec: webhooks/answers
test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [301, 'refused'],
  [304, 'refused'],
  [307, 'refused'],
  [308, 'refused'],
  [400, 'refused'],
  [401, 'refused'],
  [404, 'refused'],
  [408, 'retry'],
  [410, 'refused'],
  [429, 'retry'],
  [499, 'refused'],
  [500, 'retry'],
  [503, 'retry'],
  [599, 'retry'],
  [null, 'retry'],
])('a response with status %s (null: no response) means for its delivery: %s', (status, is) => {
  expect(readResponse(answered(status), { ...base, tries: 1 }).is).toBe(is)
})

// spec: webhooks/retries
test('a failed delivery is tried again after 30, 60, 120 and 240 s, up to 10 % later, then ends', () => {
  const gaps = (random: number) => [1, 2, 3, 4, 5].map((tries) => readResponse(answered(500), { ...base, tries, random }))
  expect(gaps(0)).toEqual([...[30_000, 60_000, 120_000, 240_000].map((inMs) => ({ is: 'retry', inMs })), { is: 'exhausted' }])
  expect(gaps(1)).toEqual([...[33_000, 66_000, 132_000, 264_000].map((inMs) => ({ is: 'retry', inMs })), { is: 'exhausted' }])
})

// spec: webhooks/lost-attempt
test('an attempt whose process died is repeated at once the first time, later like one without a response', () => {
  const lost = [1, 2, 4, 5].map((tries) => readResponse(answered(null), { ...base, tries, wasLost: true }))
  expect(lost).toEqual([{ is: 'retry', inMs: 0 }, { is: 'retry', inMs: 60_000 }, { is: 'retry', inMs: 240_000 }, { is: 'exhausted' }])
})

// spec: webhooks/retry-after
test('Retry-After makes the wait longer and never shorter', () => {
  const gapAfter = (retryAfterMs: number) => readResponse(answered(503, retryAfterMs), { ...base, tries: 1 })
  expect(gapAfter(90_000)).toEqual({ is: 'retry', inMs: 90_000 })
  expect(gapAfter(1_000)).toEqual({ is: 'retry', inMs: 30_000 })
  expect(gapAfter(0)).toEqual({ is: 'retry', inMs: 30_000 })
})
