import { verifyIdentityToken } from '@herald/auth/identity-token'
import { verifyWebhook } from '@herald/auth/webhook-signature'
import { faultStatus, type FaultCode } from '@herald/contracts/fault'
import { expect, expectTypeOf, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { HeraldError, identityToken, webhooks, type ApiCode } from './herald.ts'
import committed from './testing/signature-vectors.json' with { type: 'json' }
import { vectors } from './testing/write-signature-vectors.ts'
import { version } from './version.ts'

test('the SDK knows exactly the error codes that the API answers', () => {
  expectTypeOf<ApiCode>().toEqualTypeOf<FaultCode>()
  expect(new HeraldError({ code: 'not_found', status: faultStatus.not_found, message: 'Not found.' }).is('not_found')).toBe(true)
})

test('Herald’s own code judges each example signature like the SDK, but accepts those from the future', () => {
  expect(committed).toEqual(vectors)
  for (const { name, secrets, header, body, now, answer } of vectors) {
    const answers = secrets.map((secret) => verifyWebhook(secret, header, body, new Date(now * 1000)))
    const failure = answers.find((one) => !one.ok)
    const answerOfHerald = answers.some(({ ok }) => ok) || !failure || failure.ok ? 'ok' : failure.reason
    // Herald's own check refuses only old signatures, which somebody may have recorded, and accepts one from the future.
    expect([name, answerOfHerald]).toEqual([name, answer === 'too_new' ? 'ok' : answer])
  }
})

test('Herald’s own code accepts a webhook delivery that the SDK signed', async () => {
  const body = JSON.stringify({ id: 'dlv_1', events: [] })
  expect(verifyWebhook('whsec_a', await webhooks.sign(body, 'whsec_a'), body, new Date())).toEqual({ ok: true })
})

test('Herald accepts an identity token that the SDK made, and refuses it under another secret', async () => {
  const token = await identityToken('secret', 'kündin-7', { expiresInSeconds: 3600 })
  expect(verifyIdentityToken('secret', token, new Date())).toEqual({ ok: true, externalId: 'kündin-7' })
  expect(verifyIdentityToken('another', token, new Date())).toEqual({ ok: false, reason: 'bad_signature' })
})

test('the version that the SDK sends with its requests is the version in its package.json', () => {
  expect(version).toBe(manifest.version)
})
