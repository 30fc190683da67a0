import { createECDH, createPrivateKey, sign, type KeyObject } from 'node:crypto'

const seconds = (now: Date): number => Math.floor(now.getTime() / 1000)

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs a JWT (RFC 7515). An ES256 signature is its two numbers one after the other (`ieee-p1363`), not DER. */
function signJwt(header: { alg: 'ES256' | 'RS256' } & Record<string, string>, claims: object, key: KeyObject): string {
  const signed = `${encode(header)}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), header.alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key)
  return `${signed}.${signature.toString('base64url')}`
}

/** Reads a private key from PEM; a KeyObject is given back unchanged. Reading costs about 35 µs, so callers should store the KeyObject. */
export const readPrivateKey = (pem: string | KeyObject): KeyObject => (typeof pem === 'string' ? createPrivateKey(pem) : pem)

/** Makes the provider token of a team for APNs. Apple accepts it for an hour, and refuses a team that changes it more often than every 20 minutes. */
export const mintApnsToken = (team: { teamId: string; keyId: string; privateKey: string | KeyObject; now: Date }): string =>
  signJwt({ alg: 'ES256', kid: team.keyId }, { iss: team.teamId, iat: seconds(team.now) }, readPrivateKey(team.privateKey))

/** Reads the private key of a VAPID pair, which is base64url of 32 bytes. */
export function readVapidKey(publicKey: string, privateKey: string): KeyObject {
  const point = Buffer.from(publicKey, 'base64url')
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33, 65).toString('base64url')
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey }, format: 'jwk' })
}

/** Makes a new VAPID pair: base64url of the 65-byte point and of the 32-byte number. */
export function makeVapidPair(): { publicKey: string; privateKey: string } {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys('base64url')
  const number = ecdh.getPrivateKey()
  return { publicKey, privateKey: Buffer.concat([Buffer.alloc(32 - number.length), number]).toString('base64url') }
}

/**
 * Makes the `authorization` header of a web push (RFC 8292) for the push service's `origin`. The token expires after `ttlSeconds`, at most 24 hours.
 * A header costs about 240 µs, so callers should store one per origin.
 */
export function mintVapidHeader(vapid: {
  origin: string
  subject: string
  publicKey: string
  privateKey: string | KeyObject
  now: Date
  ttlSeconds: number
}): string {
  const key = typeof vapid.privateKey === 'string' ? readVapidKey(vapid.publicKey, vapid.privateKey) : vapid.privateKey
  const claims = { aud: vapid.origin, exp: seconds(vapid.now) + Math.min(vapid.ttlSeconds, 86_400), sub: vapid.subject }
  return `vapid t=${signJwt({ typ: 'JWT', alg: 'ES256' }, claims, key)}, k=${vapid.publicKey}`
}

/** Makes the assertion that a service account exchanges for an OAuth token (RFC 7523). It is valid for an hour and used at once. */
export function mintOauthAssertion(account: {
  clientEmail: string
  privateKey: string | KeyObject
  tokenUri: string
  scope: string
  now: Date
  keyId?: string
}): string {
  const iat = seconds(account.now)
  const header = { alg: 'RS256' as const, typ: 'JWT', ...(account.keyId === undefined ? {} : { kid: account.keyId }) }
  const claims = { iss: account.clientEmail, scope: account.scope, aud: account.tokenUri, iat, exp: iat + 3600 }
  return signJwt(header, claims, readPrivateKey(account.privateKey))
}

/** The OAuth scope that FCM asks for. */
export const fcmScope = 'https://www.googleapis.com/auth/firebase.messaging'
