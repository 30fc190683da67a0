import { equalDigests, hmacSha256, prepareHmacKey } from './hmac.ts'

/** The user that an identity token names, or why the token is refused. The gateway does not tell the client the reason. */
export type IdentityTokenAnswer =
  | { ok: true; externalId: string }
  | { ok: false; reason: 'malformed' | 'wrong_algorithm' | 'bad_signature' | 'expired' | 'lives_too_long' | 'not_yet_valid' }

const maxLifetimeSeconds = 3600
/** The clock of the machine that made a token may be ahead of Herald's clock by this much. */
const clockSkewSeconds = 30
const maxLength = 4096

/**
 * Checks an `x-identity-token` (spec: identity/identity-token): a JWT with HS256 and the app's identity secret, whose `exp` is at most an hour and 30
 * s ahead (clocks differ). Other algorithms are refused before a signature is computed.
 */
export function verifyIdentityToken(secret: string, token: string, now: Date): IdentityTokenAnswer {
  const [, header = '', payload = '', signature = ''] = (token.length <= maxLength && /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token)) || []
  const head = readJson(header)
  if (head === undefined) return { ok: false, reason: 'malformed' }
  if (head['alg'] !== 'HS256' || 'crit' in head) return { ok: false, reason: 'wrong_algorithm' }
  const given = Buffer.from(signature, 'base64url')
  const right = hmacSha256(prepareHmacKey(secret), `${header}.${payload}`)
  if (given.toString('base64url') !== signature || !equalDigests(right, given)) return { ok: false, reason: 'bad_signature' }
  return checkClaims(readJson(payload) ?? {}, now.getTime() / 1000)
}

function checkClaims(claims: Record<string, unknown>, nowSeconds: number): IdentityTokenAnswer {
  const { sub, exp, nbf } = claims
  if (typeof sub !== 'string' || sub === '' || typeof exp !== 'number' || (nbf !== undefined && typeof nbf !== 'number'))
    return { ok: false, reason: 'malformed' }
  if (exp <= nowSeconds) return { ok: false, reason: 'expired' }
  if (exp > nowSeconds + maxLifetimeSeconds + clockSkewSeconds) return { ok: false, reason: 'lives_too_long' }
  if (nbf !== undefined && nbf > nowSeconds + clockSkewSeconds) return { ok: false, reason: 'not_yet_valid' }
  return { ok: true, externalId: sub }
}

function readJson(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
