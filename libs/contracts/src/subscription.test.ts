import { createECDH, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { LoginBody, PatchSubscription, RegisterSubscription, RotateBody, SessionBody, UserChanges } from './subscription.ts'

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success
const p256dh = createECDH('prime256v1').generateKeys('base64url')
const keys = { p256dh, auth: randomBytes(16).toString('base64url') }
const web = { platform: 'web', endpoint: 'https://push.example.com/abc', keys }
const phone = { platform: 'ios', token: 'abc123' }

// spec: identity/register-required
test('a phone can register with its platform and token alone, a browser with its endpoint and keys', () => {
  for (const right of [phone, { ...phone, platform: 'android' }, web]) expect(takes(RegisterSubscription, right)).toBe(true)
  for (const wrong of [
    { platform: 'ios' },
    { platform: 'web', token: 'a' },
    { ...web, keys: undefined },
    { ...phone, endpoint: web.endpoint },
    { ...phone, platform: 'tv' },
    {},
  ]) {
    expect(takes(RegisterSubscription, wrong)).toBe(false)
  }
})

// spec: identity/register-required
test('a registration with a field that a registration may not set is refused', () => {
  for (const forbidden of ['appId', 'id', 'userId', 'invalidatedAt', 'sessionCount', 'optedIn', 'createdAt'])
    expect(takes(RegisterSubscription, { ...phone, [forbidden]: 'x' })).toBe(false)
})

// spec: identity/token-form
test('an iOS token holds letters, digits, _ : and - alone; a token of Android may hold other characters', () => {
  for (const token of ['<a1b2 c3>', '<a1b2>', 'a.b', 'a/b', 'a+b=', 'a"b']) {
    expect(takes(RegisterSubscription, { ...phone, platform: 'ios', token })).toBe(false)
    expect(takes(RegisterSubscription, { ...phone, platform: 'android', token })).toBe(!token.includes(' '))
  }
  expect(takes(RegisterSubscription, { ...phone, platform: 'ios', token: 'aB09_:-' })).toBe(true)
})

// spec: identity/old-token
test('a phone may name its former token, and a browser may not', () => {
  expect(takes(RegisterSubscription, { ...phone, old: 'before' })).toBe(true)
  expect(takes(RegisterSubscription, { ...web, old: 'before' })).toBe(false)
})

// spec: identity/register-spares
test('a registration with an unknown language or zone is refused at that field alone, for SDKs to omit', () => {
  const pathsOf = (more: object) => RegisterSubscription.safeParse({ ...phone, ...more }).error?.issues.map(({ path }) => path.join('.'))
  for (const timezone of ['GMT-06:00', 'GMT+03:00', '+02:00']) expect(pathsOf({ timezone })).toEqual(['timezone'])
  expect(pathsOf({ language: 'not a language', timezone: 'GMT-06:00' })).toEqual(['language', 'timezone'])
  expect(pathsOf({})).toBeUndefined()
})

// spec: identity/language, identity/time-zone, identity/country
test('language, time zone and country are stored in canonical form', () => {
  expect(RegisterSubscription.parse({ ...phone, language: 'pt_br', timezone: 'europe/berlin', country: 'br' })).toEqual({
    ...phone,
    language: 'pt-BR',
    timezone: 'Europe/Berlin',
    country: 'BR',
  })
})

// spec: identity/token-form
test('a token is 1 to 4096 printable ASCII characters', () => {
  expect(takes(RegisterSubscription, { ...phone, token: 'x'.repeat(4096) })).toBe(true)
  for (const token of ['', 'x'.repeat(4097), 'a b', 'ä', 'a\n', 7]) expect(takes(RegisterSubscription, { ...phone, token })).toBe(false)
})

// spec: identity/endpoint-form
test('an endpoint that is not an https URL, has credentials, is too long or has a line end is refused', () => {
  for (const endpoint of [
    'http://push.example.com/a',
    'https://user:secret@push.example.com/a',
    'https://',
    'wss://x',
    `https://x/${'a'.repeat(2048)}`,
    'https://x/\n',
    '',
  ]) {
    expect(takes(RegisterSubscription, { ...web, endpoint })).toBe(false)
  }
})

// spec: identity/web-keys
test('a browser’s key p256dh must be an uncompressed point on the curve P-256, its key auth 16 bytes', () => {
  const point = Buffer.from(p256dh, 'base64url')
  const offCurve = Buffer.from(point)
  offCurve[64] = offCurve[64]! ^ 1
  const compressed = Buffer.concat([Buffer.from([2]), point.subarray(1, 33)])
  for (const wrong of [offCurve, compressed, point.subarray(0, 64), Buffer.alloc(65), Buffer.alloc(0)]) {
    expect(takes(RegisterSubscription, { ...web, keys: { ...keys, p256dh: wrong.toString('base64url') } })).toBe(false)
  }
  for (const auth of ['', randomBytes(15).toString('base64url'), randomBytes(17).toString('base64url'), '!'.repeat(22)])
    expect(takes(RegisterSubscription, { ...web, keys: { ...keys, auth } })).toBe(false)
})

// spec: identity/web-keys
test('base64url keys are accepted with padding and stored without; another spelling of the same bytes is refused', () => {
  expect(RegisterSubscription.parse({ ...web, keys: { ...keys, auth: `${keys.auth}==` } })).toMatchObject({ keys })
  expect(takes(RegisterSubscription, { ...web, keys: { ...keys, auth: `${'A'.repeat(21)}B` } })).toBe(false)
})

// spec: identity/patch-device, identity/change-user, identity/session
test('a change of a device or user needs at least one field; a session may be reported without a body', () => {
  expect(takes(PatchSubscription, {})).toBe(false)
  expect(takes(UserChanges, {})).toBe(false)
  expect(PatchSubscription.parse({ optedIn: false })).toEqual({ optedIn: false })
  expect(UserChanges.parse({ tags: { a: null } })).toEqual({ tags: { a: null } })
  expect(SessionBody.parse(undefined)).toEqual({})
  expect(takes(PatchSubscription, { tags: {} })).toBe(false)
})

test('a login needs an external id; a change of endpoint needs the old endpoint, the new one and its keys', () => {
  expect(takes(LoginBody, { externalId: 'u1' })).toBe(true)
  expect(takes(LoginBody, {})).toBe(false)
  expect(takes(RotateBody, { old: 'https://old', new: { endpoint: web.endpoint, keys } })).toBe(true)
  expect(takes(RotateBody, { old: 'https://old', new: { endpoint: web.endpoint } })).toBe(false)
  expect(takes(RotateBody, { old: 'https://old', new: { keys } })).toBe(false)
  expect(takes(RotateBody, { new: { endpoint: web.endpoint, keys } })).toBe(false)
})
