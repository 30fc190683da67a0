import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { http } from '@herald/testing/herald'
import { whyNotSchema } from '@herald/testing/json-schema'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { ok } from './campaigns.ts'

const herald = await sharedPlatform()
const tenant = await givenTenant(herald)
const headersOf = () => ({ authorization: `Bearer ${herald.adminToken}` })
const admin = <Body>(path: string) => http<Body>('GET', `${herald.baseUrl}/v1/admin${path}`, { headers: headersOf() })
const acceptedOf = async () => (await tenant.simulator<{ accepted: unknown }>('GET', '/summary')).accepted

// spec: administration/system
test('the system page says database and queue are ready, counters agree, no circuit is open, providers are simulated', async () => {
  const system = await until(
    async () => {
      const { body } = await admin<{ ledgerDifference: number | null; openCircuits: { items: { appId: string }[] } }>('/system')
      return body.ledgerDifference !== null && body
    },
    { withinMs: 30_000, what: 'a first round of the reconciler' },
  )
  expect(system).toMatchObject({
    baseUrl: herald.baseUrl,
    database: 'ready',
    standby: 'none',
    queue: 'ready',
    ledgerDifference: 0,
    simulator: true,
  })
  // Other test files use the same platform, and some end with an open circuit.
  expect(system.openCircuits.items.filter(({ appId }) => appId === tenant.appId)).toEqual([])
})

// spec: providers/check, administration/provider-check
test('a provider check accepts good credentials, says what to do about a revoked key, and pushes nothing', async () => {
  const accepted = await acceptedOf()
  for (const kind of ['apns', 'fcm', 'webpush'])
    expect([kind, ok(await tenant.admin('POST', `/providers/${kind}/check`), 200)]).toMatchObject([
      kind,
      { ok: true, code: null, remedy: null },
    ])

  // Making a new key for the account revokes the key that Herald has.
  await tenant.simulator('POST', '/accounts', { kind: 'fcm', projectId: tenant.projectId })
  expect(ok(await tenant.admin('POST', '/providers/fcm/check'), 200)).toEqual({
    ok: false,
    code: 'credentials_invalid',
    providerCode: expect.stringContaining('invalid_grant'),
    remedy: expect.stringMatching(/^Give the newest key .*\.$/),
  })
  ok(await tenant.admin('DELETE', '/providers/fcm'), 204)
  expect(ok(await tenant.admin('POST', '/providers/fcm/check'), 200)).toMatchObject({ ok: false, code: 'not_configured' })
  expect(await acceptedOf()).toEqual(accepted)
})

// spec: administration/document
test('the gateway serves the administration’s OpenAPI document exactly as it is in the repository', async () => {
  const committed: unknown = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/openapi.administration.json'), 'utf8'))
  const served = ok(await admin<Record<string, unknown>>('/openapi.json'), 200)
  expect(served).toEqual(committed)
  const system = ok(await admin('/system'), 200)
  expect(whyNotSchema(committed, { $ref: '#/components/schemas/SystemRead' }, system)).toBeUndefined()
})
