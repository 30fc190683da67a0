import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const safeRequestId = /^[A-Za-z0-9._~:+/=@-]{1,128}$/

/** Gives the client's own x-request-id when it is safe to write into a log and into the headers of calls, else a new id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID()
}

/** Gives a request's header by its lower-case name. When it was sent several times, the values are joined by commas. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const given = headers[name]
  return Array.isArray(given) ? given.join(', ') : given
}

/**
 * Whether a request names one host (RFC 9112, 3.2), also in the address of its request line. Node takes the first of two Host headers, and a proxy
 * may have taken the second.
 */
export function hasOneHost({ rawHeaders, headers: { host = '' }, url = '', httpVersion }: IncomingMessage): boolean {
  let hosts = httpVersion === '1.0' && host === '' ? 1 : 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1
  if (hosts !== 1) return false
  const named = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]
  return named === undefined || named.toLowerCase() === host.toLowerCase()
}

/** Says that an answer is data and nothing else: a browser must not guess its type, show it in a frame, run it or cache it. */
export function setSafetyHeaders(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('X-Frame-Options', 'DENY')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  response.setHeader('Cache-Control', 'no-store')
}

/** Lets pages of any origin call a route, without credentials: a public key is no secret, and such a route reads no cookie (spec: limits/origins). */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', 'x-request-id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After')
}

/**
 * Gives the headers that answer a browser's preflight: they say what a page's request may use. `authorization` is missing on purpose, because a
 * secret key does not belong in a page.
 */
export function preflightHeaders(methods: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'content-type, x-app-key, x-identity-token, x-request-id',
    'Access-Control-Max-Age': '86400',
  }
}
