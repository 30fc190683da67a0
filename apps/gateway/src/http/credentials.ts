import type { IncomingMessage } from 'node:http'
import { parseApiKey } from '@herald/auth/api-key'
import { equalSecrets } from '@herald/auth/secret'
import type { AdminScope, Scope } from '@herald/contracts/administration'
import { fault, notFound, type Fault } from '@herald/contracts/fault'
import type { AdminKeys, ApiKeys } from '../authenticate.ts'
import type { VerifiedAdminKey, VerifiedKey } from '../core/verified-key.ts'
import { foreignProblem, sessionIdOf, sessionProblem, type CameFrom, type SignedIn } from '../core/session-door.ts'
import type { Gateway } from '../gateway.ts'
import type { AdminAccess, Route } from './route.ts'

const unauthorized = (message: string) => fault('unauthorized', message)

/**
 * Verifies and gives a request's API key: a secret one as `Authorization: Bearer`, a public one as `x-app-key` or Bearer (spec: limits/key-headers).
 * Pages and mobile apps send x-app-key, so a secret key there is refused. Fault: unauthorized.
 */
export async function keyOf(request: IncomingMessage, keys: ApiKeys): Promise<VerifiedKey> {
  const bearer = bearerOf(request)
  const appKey = request.headers['x-app-key']
  if (bearer === undefined && typeof appKey !== 'string') {
    throw unauthorized('Give an API key: Authorization: Bearer <secret key>, or x-app-key: <public key>.')
  }
  const key = await keys.verify(bearer ?? String(appKey))
  if (!key || (bearer === undefined && key.kind === 'secret')) throw unauthorized('The API key is not valid.')
  return key
}

/** Refuses a public key where a secret key is needed, and a key without one of the scopes. Fault: forbidden. */
export function checkScopes(
  key: VerifiedKey,
  { key: access, scope, alsoScope }: { key: Route['key']; scope?: Scope | undefined; alsoScope?: Scope | undefined },
): void {
  if (access === 'secret' && key.kind === 'public')
    throw fault('forbidden', 'A public key may not do this: use a secret key, from a server.')
  for (const needed of [scope, alsoScope]) if (needed !== undefined && !key.scopes.has(needed)) throw missingScope(needed)
}

export const missingScope = (scope: Scope): Fault => fault('forbidden', `The API key does not have the scope ${scope}.`)

export const missingAdminScope = (scope: AdminScope): Fault =>
  fault('forbidden', `The administration key does not have the scope ${scope}.`)

/**
 * Refuses an administration key without the scope of the route, and answers for another app's path as if that app did not exist
 * (spec: administration/admin-key-scopes). Faults: not_found, forbidden.
 */
export function checkAdminScope(key: VerifiedAdminKey, access: AdminAccess, appId: string | undefined): void {
  if (appId !== undefined && appId !== key.appId) throw notFound()
  if (access === 'platform')
    throw fault(
      'forbidden',
      'No administration key may do this: use the administration token, or a session that began with it (scope platform).',
    )
  if (access !== 'any' && !key.scopes.has(access)) throw missingAdminScope(access)
}

/**
 * Checks that a request has the administration token, an administration key or a session's cookie. Gives key and session. With a header
 * Authorization, even a wrong one, the cookie is ignored. Faults: unauthorized, forbidden (foreign page, no valid x-csrf-token).
 */
export async function checkAdministrator(
  request: IncomingMessage,
  {
    token,
    adminKeys,
    sessions,
    baseUrl,
  }: { token: string; adminKeys: AdminKeys; sessions: Gateway['sessions']; baseUrl: string | undefined },
): Promise<{ session?: SignedIn; adminKey?: VerifiedAdminKey | undefined }> {
  const cookie = request.headers.authorization === undefined ? sessionIdOf(request.headers.cookie) : undefined
  if (cookie !== undefined) {
    const problem = sessionProblem(cameFrom(request, baseUrl), cookie, textOf(request.headers['x-csrf-token']))
    if (problem !== undefined) throw fault('forbidden', problem)
    const session = await sessions.find(cookie)
    if (!session) throw unauthorized('The session has ended. Sign in again.')
    return { session, adminKey: session.adminKey }
  }
  const bearer = bearerOf(request)
  if (bearer !== undefined && equalSecrets(bearer, token)) return {}
  const adminKey = bearer === undefined ? undefined : await adminKeys.verify(bearer)
  if (!adminKey) throw unauthorized('Give the administration token or an administration key: Authorization: Bearer <token or key>.')
  return { adminKey }
}

/** Refuses a sign-in that another site's page sends. Fault: forbidden. */
export function checkOwnPage(request: IncomingMessage, baseUrl: string | undefined): void {
  const problem = foreignProblem(cameFrom(request, baseUrl))
  if (problem !== undefined) throw fault('forbidden', problem)
}

const cameFrom = ({ method = '', headers }: IncomingMessage, baseUrl: string | undefined): CameFrom => ({
  method,
  secFetchSite: textOf(headers['sec-fetch-site']),
  origin: headers.origin,
  host: headers.host,
  baseUrl,
})

const textOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header.join(', ') : header)

/**
 * Whether a request has a text in the form of a secret key. An invalid one is refused later, before it can do anything. A public key does not count,
 * because anybody can have it.
 */
export function givesSecretKey(request: IncomingMessage): boolean {
  const bearer = bearerOf(request)
  return bearer !== undefined && parseApiKey(bearer)?.kind === 'secret'
}

const bearerOf = ({ headers }: IncomingMessage): string | undefined => /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
