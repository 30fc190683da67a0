import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { randomSecret } from './secret.ts'
import { signWebhook, verifyWebhook } from './webhook-signature.ts'

const secret = randomSecret('whsec_')
const body = '{"id":"dlv_1","events":[{"name":"é"}]}'
const now = new Date('2026-06-15T12:00:00.900Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const header = signWebhook(secret, body, now)

// spec: webhooks/signature
test('the signature header has the time t and the hexadecimal HMAC of "<t>.<body>" with the whole secret', () => {
  const seconds = Math.floor(now.getTime() / 1000)
  expect(header).toBe(`t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`)
  expect(signWebhook(secret, Buffer.from(body), now)).toBe(header)
})

// spec: webhooks/verify
test('a right signature is accepted for five minutes, and then refused as too old', () => {
  expect(verifyWebhook(secret, header, body, now)).toEqual({ ok: true })
  expect(verifyWebhook(secret, header, Buffer.from(body), later(299))).toEqual({ ok: true })
  expect(verifyWebhook(secret, header, body, later(301))).toEqual({ ok: false, reason: 'too_old' })
})

// spec: webhooks/verify
test('with another body, secret or time a signature counts as bad, even when it is also too old', () => {
  const bad = { ok: false, reason: 'bad_signature' }
  expect(verifyWebhook(secret, header, `${body} `, now)).toEqual(bad)
  expect(verifyWebhook(randomSecret('whsec_'), header, body, now)).toEqual(bad)
  expect(verifyWebhook(secret, header.replace(/t=\d+/, 't=1'), body, now)).toEqual(bad)
  expect(verifyWebhook(secret, header.replace(/t=\d+/, `t=${Math.floor(later(10).getTime() / 1000)}`), body, now)).toEqual(bad)
})

test('one right signature of several is enough, and unknown parts of the header are ignored', () => {
  const [time = '', signature = ''] = header.split(',')
  expect(verifyWebhook(secret, `${time},v1=${'0'.repeat(64)},${signature},v0=x`, body, now)).toEqual({ ok: true })
})

// spec: webhooks/verify
test('a header without exactly one time and at least one signature, both of the right form, is refused as malformed', () => {
  const signature = header.split(',')[1] ?? ''
  for (const wrong of [
    '',
    't=1',
    signature,
    `t=,${signature}`,
    `t=1x,${signature}`,
    `t=1,t=2,${signature}`,
    't=1,v1=abc',
    `t=1,v1=${'g'.repeat(64)}`,
    `t=-1,${signature}`,
  ]) {
    expect(verifyWebhook(secret, wrong, body, now)).toEqual({ ok: false, reason: 'malformed' })
  }
})

test('nothing is signed with an empty secret', () => {
  expect(() => signWebhook('', '{}', new Date())).toThrow('empty secret')
})
