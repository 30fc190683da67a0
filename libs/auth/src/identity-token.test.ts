import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifyIdentityToken } from './identity-token.ts'

const secret = 'identity secret of one app'
const now = new Date('2026-06-15T12:00:00Z')
const inSeconds = (seconds: number) => now.getTime() / 1000 + seconds
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: unknown, header: unknown = { alg: 'HS256', typ: 'JWT' }, key = secret): string => {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}
const verify = (text: string) => verifyIdentityToken(secret, text, now)

// spec: identity/identity-token
test('an identity token signed with the app’s secret names the user', () => {
  expect(verify(token({ sub: 'user-7', exp: inSeconds(60) }))).toEqual({ ok: true, externalId: 'user-7' })
  expect(verify(token({ sub: 'user-7', exp: inSeconds(3600), iat: inSeconds(0), nbf: inSeconds(-1) }))).toMatchObject({ ok: true })
})

test('an identity token is refused with another secret, a changed claim, or a changed or no signature', () => {
  const good = token({ sub: 'user-7', exp: inSeconds(60) })
  const [header, , signature] = good.split('.')
  expect(verify(token({ sub: 'user-7', exp: inSeconds(60) }, undefined, 'another'))).toEqual({ ok: false, reason: 'bad_signature' })
  expect(verify(`${header}.${part({ sub: 'user-8', exp: inSeconds(60) })}.${signature}`)).toEqual({ ok: false, reason: 'bad_signature' })
  expect(verify(good.split('.').slice(0, 2).join('.'))).toMatchObject({ ok: false })
  expect(verify(`${good.slice(0, -4)}AAAA`)).toEqual({ ok: false, reason: 'bad_signature' })
})

// spec: identity/identity-token
test('an identity token whose algorithm is not HS256, or whose header asks for critical extensions, is refused', () => {
  const claims = { sub: 'user-7', exp: inSeconds(60) }
  for (const alg of ['none', 'None', 'HS512', 'RS256', undefined])
    expect(verify(token(claims, { alg }))).toEqual({ ok: false, reason: 'wrong_algorithm' })
  expect(verify(`${part({ alg: 'none' })}.${part(claims)}.`)).toMatchObject({ ok: false })
  expect(verify(token(claims, { alg: 'HS256', crit: ['exp'] }))).toEqual({ ok: false, reason: 'wrong_algorithm' })
  const signed = `${part({ alg: 'ES256' })}.${part(claims)}`
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  expect(verify(`${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`)).toEqual({
    ok: false,
    reason: 'wrong_algorithm',
  })
})

// spec: identity/identity-token
test('an identity token is refused when expired, over an hour ahead, not yet valid, or without user or expiry', () => {
  expect(verify(token({ sub: 'u', exp: inSeconds(0) }))).toEqual({ ok: false, reason: 'expired' })
  expect(verify(token({ sub: 'u', exp: inSeconds(-3600) }))).toEqual({ ok: false, reason: 'expired' })
  expect(verify(token({ sub: 'u', exp: inSeconds(3700) }))).toEqual({ ok: false, reason: 'lives_too_long' })
  expect(verify(token({ sub: 'u', exp: inSeconds(60), nbf: inSeconds(120) }))).toEqual({ ok: false, reason: 'not_yet_valid' })
  for (const claims of [
    { sub: 'u' },
    { exp: inSeconds(60) },
    { sub: '', exp: inSeconds(60) },
    { sub: 7, exp: inSeconds(60) },
    { sub: 'u', exp: '9999999999' },
    [],
    null,
  ]) {
    expect(verify(token(claims))).toEqual({ ok: false, reason: 'malformed' })
  }
})

test('a text that is no JWT is refused as malformed, even a text of 100,000 characters', () => {
  for (const wrong of [
    '',
    '.',
    '..',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    `${'a'.repeat(100_000)}.b.c`,
    token({ sub: 'u', exp: inSeconds(60) }) + '\n',
  ]) {
    expect(verify(wrong)).toEqual({ ok: false, reason: 'malformed' })
  }
})
