import { createHmac, timingSafeEqual } from 'node:crypto'
import type { VerifiedAdminKey } from './verified-key.ts'

/**
 * A session of the dashboard. `id` is not the id in the cookie. `name`: the operator's. Every change must send `csrfToken`. `adminKey`: the key with
 * which it began, whose app and scopes bound it; undefined without one.
 */
export type SignedIn = { id: string; name: string; expiresAt: string; csrfToken: string; adminKey: VerifiedAdminKey | undefined }

/** Who sends a request, for the audit: the client address, the browser, and the request's id. */
export type From = { address: string; browser: string; requestId: string }

/**
 * The name of the session's cookie. Because of the prefix `__Host-` browsers accept the cookie only over TLS (or on their own machine), for this host
 * alone and for all of its paths.
 */
const cookieName = '__Host-herald'
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
/** A session id is 32 bytes in base64url. */
const idForm = /^[A-Za-z0-9_-]{43}$/

export const sessionCookie = (id: string): string => `${cookieName}=${id}; ${attributes}`
export const endedCookie = `${cookieName}=; ${attributes}; Max-Age=0`

/** Finds the session id among a request's cookies, or undefined. */
export function sessionIdOf(cookies: string | undefined): string | undefined {
  for (const cookie of cookies?.split(';') ?? []) {
    const [name, value = ''] = cookie.trim().split('=', 2)
    if (name === cookieName) return idForm.test(value) ? value : undefined
  }
  return undefined
}

/**
 * Gives the token that a page of the dashboard sends with each change. Another site can make the browser send the cookie, but cannot read this token
 * from the answer of GET /v1/admin/session.
 */
export const csrfTokenOf = (sessionId: string): string => createHmac('sha256', sessionId).update('csrf').digest('base64url')

export type CameFrom = {
  method: string
  secFetchSite: string | undefined
  origin: string | undefined
  host: string | undefined
  /** HERALD_BASE_URL. */
  baseUrl: string | undefined
}

/**
 * Says why a request cannot come from the dashboard's own pages, or undefined when it may. A client that is no browser sends neither Sec-Fetch-Site
 * nor Origin, and passes.
 */
export function foreignProblem({ secFetchSite, origin, host, baseUrl }: CameFrom): string | undefined {
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin')
    return 'This request comes from another site. Open the dashboard itself.'
  if (origin === undefined || isOurs(origin, host, baseUrl)) return undefined
  return 'This request comes from another origin. Open the dashboard at its own address; behind a proxy that changes the host, set HERALD_BASE_URL.'
}

/**
 * Whether an origin is the dashboard's: it has the host of the request, or is HERALD_BASE_URL's origin. The scheme is not compared with the
 * request's, because behind a proxy that ends TLS it is unknown.
 */
function isOurs(origin: string, host: string | undefined, baseUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { host: ofOrigin, origin: whole } = new URL(origin)
  return ofOrigin === host?.toLowerCase() || (baseUrl !== undefined && whole === new URL(baseUrl).origin)
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Says why a request with a session's cookie must be refused, or undefined when it may pass (spec: administration/session-origin). */
export function sessionProblem(from: CameFrom, sessionId: string, csrfToken: string | undefined): string | undefined {
  const problem = foreignProblem(from)
  if (problem !== undefined || safeMethods.includes(from.method)) return problem
  const expected = Buffer.from(csrfTokenOf(sessionId))
  const given = Buffer.from(csrfToken ?? '')
  if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined
  return 'A change needs the header x-csrf-token with the csrfToken that GET /v1/admin/session answers.'
}
