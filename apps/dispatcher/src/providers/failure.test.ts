import { expect, test } from 'vitest'
import { answerOfFailure } from './failure.ts'

const coded = (code: string, message = '', cause?: unknown) => Object.assign(new Error(message, { cause }), { code })

test('a refused stream is found inside the errors that libraries wrap around it', () => {
  const stream = coded('ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_REFUSED_STREAM')
  // In an error of the library VError the cause is a function.
  const verror = Object.assign(new Error(`apn write failed: ${stream.message}`), { cause: () => stream })
  const firebase = new Error('failures', {
    cause: new AggregateError([coded('app/network-error', 'x', stream), coded('app/network-error', 'GOAWAY')]),
  })
  for (const error of [stream, verror, firebase])
    expect(answerOfFailure(error)).toEqual({ is: 'refused', reason: 'NGHTTP2_REFUSED_STREAM' })
})

test.each(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION'])('an error %s means that the push was not processed', (code) => {
  expect(answerOfFailure(coded(code)).is).toBe('refused')
})

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('an error %s means that nothing was sent', (code) =>
  expect(answerOfFailure(new Error('fetch failed', { cause: coded(code) }))).toEqual({ is: 'unsent', reason: code }),
)

test.each([
  ['NGHTTP2_ENHANCE_YOUR_CALM', coded('ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_ENHANCE_YOUR_CALM')],
  ['ECONNRESET', coded('ECONNRESET')],
  ['', new Error('https://push.example/secret')],
  ['', 'a text'],
])('an error %s means that the push may have been delivered', (reason, error) => {
  expect(answerOfFailure(error)).toEqual({ is: 'unanswered', why: 'broken', reason })
})

test('a time-out of the system means that the push may have been delivered, and is read as a time-out', () => {
  expect(answerOfFailure(coded('ETIMEDOUT'))).toEqual({ is: 'unanswered', why: 'timeout', reason: '' })
})
