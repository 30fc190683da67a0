import { word, type Answer } from '../core/answer.ts'

/** Error codes that say that there was no connection: the name look-up, connecting or the TLS handshake failed, so nothing of a push was sent. */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_NODATA|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EPROTO|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_SELF_SIGNED_CERT)$/

/** Error codes that say that the push was not processed: the session was closing already, or the server refused the stream (RFC 9113 8.7). */
const neverProcessed = /^(NGHTTP2_REFUSED_STREAM|ERR_HTTP2_GOAWAY_SESSION|ERR_HTTP2_INVALID_SESSION)$/

/**
 * Says what a library's error means for its push, by the first known code from the outermost error inwards; without one, bytes may have been sent.
 * NGHTTP2_ENHANCE_YOUR_CALM does not count: Node's own memory limit reports it too.
 */
export function answerOfFailure(error: unknown): Answer {
  const codes = [...codesOf(error)]
  for (const code of codes) {
    if (neverProcessed.test(code)) return { is: 'refused', reason: word(code) }
    if (neverConnected.test(code)) return { is: 'unsent', reason: word(code) }
    if (code === 'ETIMEDOUT') return { is: 'unanswered', why: 'timeout', reason: '' }
  }
  return { is: 'unanswered', why: 'broken', reason: word(codes[0]) }
}

/** Gives the codes of an error and its causes, the outermost first. The name of an HTTP/2 error comes before the general ERR_HTTP2_STREAM_ERROR. */
function* codesOf(error: unknown, depth = 0): Generator<string> {
  if (!(error instanceof Object) || depth > 8) return
  const message: unknown = Reflect.get(error, 'message')
  const http2Name = typeof message === 'string' ? /NGHTTP2_[A-Z_]+/.exec(message)?.[0] : undefined
  const code: unknown = Reflect.get(error, 'code')
  // A wrapping error repeats its cause's message, so the name is read only from an error that has a code.
  if (typeof code === 'string') {
    if (http2Name) yield http2Name
    yield code
  }
  const cause: unknown = Reflect.get(error, 'cause')
  // In an error of the library VError the cause is a function.
  yield* codesOf(typeof cause === 'function' ? Reflect.apply(cause, error, []) : cause, depth + 1)
  const errors: unknown = Reflect.get(error, 'errors')
  if (Array.isArray(errors)) for (const one of errors) yield* codesOf(one, depth + 1)
}
