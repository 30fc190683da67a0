import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto'
import { isVapidPair } from '@herald/contracts/administration'
import { expect, test } from 'vitest'
import { fcmScope, makeVapidPair, mintApnsToken, mintOauthAssertion, mintVapidHeader, readVapidKey } from './provider-token.ts'

const now = new Date('2026-06-15T12:00:00Z')
const nowSeconds = now.getTime() / 1000

function open(jwt: string, key: KeyObject, dsaEncoding?: 'ieee-p1363'): { header: unknown; claims: unknown } {
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const right = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    dsaEncoding === undefined ? key : { key, dsaEncoding },
    Buffer.from(signature, 'base64url'),
  )
  expect(right).toBe(true)
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: read(header), claims: read(claims) }
}

test('an APNs token names team and key and is signed with ES256', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  for (const key of [privateKey, pem.toString()]) {
    expect(open(mintApnsToken({ teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey: key, now }), publicKey, 'ieee-p1363')).toEqual({
      header: { alg: 'ES256', kid: 'KEY1234567' },
      claims: { iss: 'TEAM123456', iat: nowSeconds },
    })
  }
})

test('a VAPID header has a token for the push service’s origin, and the public key', () => {
  const { publicKey, privateKey } = makeVapidPair()
  const header = mintVapidHeader({
    origin: 'https://push.example.com',
    subject: 'mailto:a@example.com',
    publicKey,
    privateKey,
    now,
    ttlSeconds: 43_200,
  })
  const [, jwt = '', k = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? []
  expect(k).toBe(publicKey)
  expect(open(jwt, createPublicKey(readVapidKey(publicKey, privateKey)), 'ieee-p1363')).toEqual({
    header: { typ: 'JWT', alg: 'ES256' },
    claims: { aud: 'https://push.example.com', exp: nowSeconds + 43_200, sub: 'mailto:a@example.com' },
  })
})

test('a VAPID token that is asked to last longer lasts for the 24 hours that RFC 8292 allows', () => {
  const { publicKey, privateKey } = makeVapidPair()
  const header = mintVapidHeader({
    origin: 'https://p',
    subject: 'mailto:a@b.c',
    publicKey,
    privateKey: readVapidKey(publicKey, privateKey),
    now,
    ttlSeconds: 1e9,
  })
  const claims: unknown = JSON.parse(Buffer.from(header.split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toMatchObject({ exp: nowSeconds + 86_400 })
})

test('in each of 600 new VAPID pairs the keys match and the private key has 43 characters', () => {
  // About one private number in 256 begins with a zero byte, which must not be left out.
  for (let n = 0; n < 600; n++) {
    const { publicKey, privateKey } = makeVapidPair()
    expect(privateKey).toHaveLength(43)
    expect(isVapidPair(publicKey, privateKey)).toBe(true)
  }
})

test('an OAuth assertion asks for the scope of messaging and is valid for an hour', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const assertion = mintOauthAssertion({
    clientEmail: 'a@b.iam',
    privateKey,
    tokenUri: 'https://oauth2.googleapis.com/token',
    scope: fcmScope,
    now,
    keyId: 'k1',
  })
  expect(open(assertion, publicKey)).toEqual({
    header: { alg: 'RS256', typ: 'JWT', kid: 'k1' },
    claims: { iss: 'a@b.iam', scope: fcmScope, aud: 'https://oauth2.googleapis.com/token', iat: nowSeconds, exp: nowSeconds + 3600 },
  })
})
