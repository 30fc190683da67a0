import type { Reply } from '@herald/http2/client/reply'
import { expect, test } from 'vitest'
import { read } from './answers.ts'

const answered = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  is: 'answered',
  status,
  headers: new Map(Object.entries(headers)),
  body: Buffer.from(body),
})

test('an answer of APNs is read from its status, its body and its Retry-After', () => {
  expect(read(answered(200, ''), 'sandbox')).toEqual({
    ...{ is: 'answered', status: 200, reason: '', retryAfterMs: null, deadSince: null, environment: 'sandbox' },
  })
  expect(read(answered(410, '{"reason":"Unregistered","timestamp":1767225600000}'), 'production')).toMatchObject({
    ...{ status: 410, reason: 'Unregistered', deadSince: '2026-01-01T00:00:00.000Z', environment: 'production' },
  })
  expect(read(answered(429, '{"reason":"TooManyRequests"}', { 'retry-after': '7' }), 'production')).toMatchObject({ retryAfterMs: 7_000 })
})

test.each([
  '',
  'no JSON',
  '[]',
  'null',
  '"text"',
  '{"reason":{"a":1},"timestamp":"soon"}',
  '{"reason":7,"timestamp":1e300}',
  '{"timestamp":-1}',
])('a body in another form than Apple’s is ignored: %s', (body) => {
  expect(read(answered(502, body), 'production')).toMatchObject({ status: 502, reason: '', deadSince: null, retryAfterMs: null })
})

// spec: providers/provider-word
test('of what APNs says, Herald stores only a short word', () => {
  const answer = read(answered(400, JSON.stringify({ reason: `Bad\r\n"<b>${'x'.repeat(500)}` })), 'production')
  expect(answer).toMatchObject({ reason: `Badb${'x'.repeat(96)}` })
})

test.each<[reply: Reply, means: object]>([
  [
    { is: 'refused', reason: 'REFUSED_STREAM' },
    { is: 'refused', reason: 'REFUSED_STREAM' },
  ],
  [
    { is: 'unsent', reason: 'ECONNREFUSED' },
    { is: 'unsent', reason: 'ECONNREFUSED' },
  ],
  [
    { is: 'unanswered', why: 'timeout', reason: 'timeout' },
    { is: 'unanswered', why: 'timeout', reason: '' },
  ],
  [
    { is: 'unanswered', why: 'broken', reason: 'INTERNAL_ERROR' },
    { is: 'unanswered', why: 'broken', reason: 'INTERNAL_ERROR' },
  ],
])('a request that APNs does not answer becomes an answer that says what happened to the push: %o', (reply, means) => {
  expect(read(reply, 'production')).toEqual(means)
})
