import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const safeRequestId = /^[A-Za-z0-9._~:+/=@-]{1,128}$/

/** The caller's own x-request-id when it is safe to write into a log and into the headers of calls, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID()
}

/** A request's header by its lower-case name. A header that was sent several times is joined by commas. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const given = headers[name]
  return Array.isArray(given) ? given.join(', ') : given
}

/** Answers are data and nothing else: never sniffed, framed, run or kept by a cache. */
export function setSafetyHeaders(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('X-Frame-Options', 'DENY')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  response.setHeader('Cache-Control', 'no-store')
}

/** Lets pages of any origin call, without credentials: a public key is no secret, and no cookie is read there (spec: limits/origins). */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', 'x-request-id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After')
}

/** The answer to a preflight: what a page's request may use. `authorization` is missing on purpose: a secret key has no place in a page. */
export function preflightHeaders(methods: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'content-type, x-app-key, x-identity-token, x-request-id',
    'Access-Control-Max-Age': '86400',
  }
}
