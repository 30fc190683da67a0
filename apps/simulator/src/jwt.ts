import { verify, type KeyObject } from 'node:crypto'

export type Jwt = { header: Record<string, unknown>; claims: Record<string, unknown>; signed: Buffer; signature: Buffer }

/** Splits a compact JWT into its parts (RFC 7515) and verifies nothing. Gives undefined when the text is not a JWT. */
export function parseJwt(text: string): Jwt | undefined {
  const parts = text.split('.')
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return undefined
  const [header, claims, signature] = parts as [string, string, string]
  const parsed = [parseObject(header), parseObject(claims)]
  if (!parsed[0] || !parsed[1]) return undefined
  return {
    header: parsed[0],
    claims: parsed[1],
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Says whether `key` signed the JWT, with exactly this algorithm. */
export function isSignedBy(jwt: Jwt, algorithm: 'ES256' | 'RS256', key: KeyObject): boolean {
  if (jwt.header['alg'] !== algorithm) return false
  return verify('sha256', jwt.signed, algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key, jwt.signature)
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
