import { generateKeyPairSync } from 'node:crypto'
import { openSealer } from '@herald/auth/seal'
import { defaultSettings } from '@herald/contracts/app'
import { probeCircuits, readCircuits } from '@herald/contracts/calls/audience'
import { appChanged, apnsToken, readApp, readCredentials } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import { openBus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../store/tables.ts'
import { identityToken } from '../testing/identity-token.ts'
import { sealKeys, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const dispatcher = await openBus(testService('dispatcher', { NATS_URL: nats }))
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
const sealer = openSealer(sealKeys)

const changed: string[] = []
dispatcher.listen(appChanged, ({ appId }) => changed.push(appId))

const p8 = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const apns = (more: Record<string, unknown> = {}) => ({
  teamId: 'TEAM000001',
  keyId: 'KEY0000001',
  privateKey: p8(),
  bundleId: 'org.example.shop',
  environment: 'production',
  ...more,
})
const givenApp = async (name = 'Shop') => String((await gateway.admin('POST', '/apps', { name })).body['id'])
const itemsOf = (body: Record<string, unknown>) => body['items'] as Record<string, unknown>[]

// spec: administration/apps, administration/settings
test('a new app has no cap, quiet hours or identity check; single settings change, and a dispatcher is told', async () => {
  const made = await gateway.admin('POST', '/apps', { name: 'Shop' })
  const id = String(made.body['id'])
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'Shop', settings: defaultSettings },
  })
  expect(Object.keys(made.body)).toEqual(['id', 'name', 'settings', 'createdAt'])

  const cap = { max: 3, windowSeconds: 86_400 }
  await gateway.admin('PATCH', `/apps/${id}`, { settings: { frequencyCap: cap } })
  const patched = await gateway.admin('PATCH', `/apps/${id}`, { name: 'Store', settings: { defaultTimezone: 'Europe/Berlin' } })

  const expected = {
    ...made.body,
    name: 'Store',
    settings: { ...defaultSettings, defaultTimezone: 'Europe/Berlin', frequencyCap: cap },
  }
  expect(patched).toMatchObject({ status: 200, body: expected })
  expect((await gateway.admin('GET', `/apps/${id}`)).body).toEqual(expected)
  expect(await dispatcher.call(readApp, { appId: id })).toEqual({ app: expected })
  await until(() => changed.filter((appId) => appId === id).length === 2)
})

// spec: administration/lists, limits/lists, limits/list-prefix
test('the list of apps is newest first, each once over all pages, and filters by a part of the name', async () => {
  const mark = newId()
  const ids: string[] = []
  for (const n of Array(7).keys()) ids.push(await givenApp(`${mark} ${n} 100%`))

  const seen: unknown[] = []
  for (let cursor: unknown = ''; cursor !== null;) {
    const { body } = await gateway.admin(
      'GET',
      `/apps?limit=3&q=${mark.slice(2).toUpperCase()}${cursor === '' ? '' : `&cursor=${cursor as string}`}`,
    )
    seen.push(...itemsOf(body).map(({ id }) => id))
    cursor = body['nextCursor']
  }

  expect(seen).toEqual(ids.toReversed())
  expect(itemsOf((await gateway.admin('GET', `/apps?q=${mark}_6%25`)).body)).toEqual([])
})

test.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['cursor=nonsense', 'cursor'],
  ['q=%00', 'q'],
  ['page=2', 'page'],
])('a list of apps with the query %s is refused, and the error names %s', async (query, path) => {
  expect(await gateway.admin('GET', `/apps?${query}`)).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_body', details: [{ path }] } },
  })
})

// spec: administration/keys, limits/key-form
test('an API key is shown once, when made: neither lists nor tables nor the audit have its text', async () => {
  const appId = await givenApp()
  const made = await gateway.admin('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'backend', scopes: ['campaigns:read'] })
  const key = String(made.body['key'])
  expect(made).toMatchObject({ status: 201, body: { kind: 'secret', name: 'backend', scopes: ['campaigns:read'], hint: key.slice(-4) } })
  expect(key).toMatch(new RegExp(`^sk_live_${appId}_`))

  const list = await gateway.admin('GET', `/apps/${appId}/keys`)
  expect(itemsOf(list.body)).toHaveLength(1)
  expect(list.text).not.toContain(key)
  const { rows } =
    await sql`select apps::text as row from apps union all select api_keys::text from api_keys union all select audit::text from audit`.execute(
      db,
    )
  expect(JSON.stringify(rows)).not.toContain(key.slice(40))
})

// spec: administration/key-scopes
test('a public key has only the scope to register devices, and a request for one with another scope is refused', async () => {
  const appId = await givenApp()
  expect((await gateway.admin('POST', `/apps/${appId}/keys`, { kind: 'public', name: 'sdk' })).body['scopes']).toEqual([
    'subscriptions:write',
  ])
  expect(await gateway.admin('POST', `/apps/${appId}/keys`, { kind: 'public', name: 'sdk', scopes: ['users:read'] })).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'scopes' }] } },
  })
})

// spec: administration/credentials-shown, administration/credentials-sealed
test('provider credentials are shown without secrets and stored sealed; moved to another app they cannot be opened', async () => {
  const appId = await givenApp()
  const body = apns()
  const account = { project_id: 'shop-1', client_email: 'push@shop-1.example', private_key: rsa }
  expect(await gateway.admin('PUT', `/apps/${appId}/providers/apns`, body)).toMatchObject({ status: 200 })
  expect(await gateway.admin('PUT', `/apps/${appId}/providers/fcm`, { serviceAccount: account })).toMatchObject({ status: 200 })

  expect((await gateway.admin('GET', `/apps/${appId}/providers/apns`)).body).toEqual({
    teamId: 'TEAM000001',
    keyId: 'KEY0000001',
    bundleId: 'org.example.shop',
    environment: 'production',
    circuits: [],
    former: null,
  })
  const { credentials } = await dispatcher.call(readCredentials, { appId, kind: 'fcm' })
  if (credentials?.kind !== 'fcm') throw new Error('FCM credentials were set')
  expect(sealer.open(credentials.sealedPrivateKey, credentials.sealContext).toString()).toBe(rsa)
  expect(() => sealer.open(credentials.sealedPrivateKey, credentials.sealContext.replace(appId, newId()))).toThrow('belongs elsewhere')
  const apnsAnswer = await dispatcher.call(readCredentials, { appId, kind: 'apns' })
  expect(Object.keys(apnsAnswer.credentials ?? {}).toSorted()).toEqual(['bundleId', 'environment', 'keyId', 'kind', 'teamId', 'version'])
  const { rows } = await sql`select providers::text as row from providers union all select audit::text from audit`.execute(db)
  expect(JSON.stringify(rows)).not.toContain('PRIVATE')
})

test('each change of provider credentials gets a new, higher version, also after they were removed; without credentials there is none', async () => {
  const appId = await givenApp()
  const versionOf = async () => (await dispatcher.call(readCredentials, { appId, kind: 'apns' })).credentials?.version
  expect(await versionOf()).toBeUndefined()
  expect((await gateway.admin('GET', `/apps/${appId}/providers/apns`)).status).toBe(404)

  const versions: (number | undefined)[] = []
  for (const _ of Array(2)) {
    await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns())
    versions.push(await versionOf())
    await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns())
    versions.push(await versionOf())
    expect((await gateway.admin('DELETE', `/apps/${appId}/providers/apns`)).status).toBe(204)
  }
  expect(versions).toEqual(versions.toSorted((one, other) => Number(one) - Number(other)))
  expect(new Set(versions).size).toBe(4)
  expect((await gateway.admin('DELETE', `/apps/${appId}/providers/apns`)).status).toBe(404)
})

// spec: administration/webpush-credentials
test('the Web Push keys of an app are made once, and stay when an operator changes the contact address (`subject`)', async () => {
  const appId = await givenApp()
  const made = await gateway.admin('PUT', `/apps/${appId}/providers/webpush`, { subject: 'mailto:a@example.org' })
  const again = await gateway.admin('PUT', `/apps/${appId}/providers/webpush`, { subject: 'mailto:b@example.org' })

  expect(Buffer.from(String(made.body['publicKey']), 'base64url')).toHaveLength(65)
  expect(again.body).toEqual({ subject: 'mailto:b@example.org', publicKey: made.body['publicKey'] })
})

// spec: providers/apns-provider-token
test('40 requests at once for an APNs token get the same one, also for two apps and two gateways', async () => {
  await startGateway({ database: url('gateway'), nats })
  const body = apns({ teamId: 'TEAM000002' })
  const [one, other] = [await givenApp(), await givenApp()]
  for (const appId of [one, other]) await gateway.admin('PUT', `/apps/${appId}/providers/apns`, body)

  const tokens = await Promise.all(
    Array.from({ length: 40 }, (_, n) => dispatcher.call(apnsToken, { appId: n % 2 ? one : other, refused: null })),
  )

  expect(new Set(tokens.map((answer) => answer?.token)).size).toBe(1)
  const [header, claims] = String(tokens[0]?.token).split('.')
  expect(JSON.parse(Buffer.from(header ?? '', 'base64url').toString())).toMatchObject({ alg: 'ES256', kid: 'KEY0000001' })
  expect(JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())).toMatchObject({ iss: 'TEAM000002' })
})

// spec: providers/apns-provider-token
test('an APNs token that Apple refuses is replaced after 20 minutes, any other after 50', async () => {
  const appId = await givenApp()
  await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns({ teamId: 'TEAM000003' }))
  const age = (minutes: number) =>
    sql`update apns_tokens set minted_at = now() - make_interval(mins => ${minutes}) where team_id = 'TEAM000003'`.execute(db)
  const tokenNow = async (refused: string | null) => (await dispatcher.call(apnsToken, { appId, refused }))?.token

  const first = await tokenNow(null)
  await age(19)
  expect(await tokenNow(first ?? null)).toBe(first)
  await age(21)
  expect(await tokenNow('another token')).toBe(first)
  const second = await tokenNow(first ?? null)
  expect(second).not.toBe(first)
  expect(await tokenNow(first ?? null)).toBe(second)
  await age(51)
  expect(await tokenNow(null)).not.toBe(second)
})

test('an app without APNs credentials gets no APNs token', async () => {
  expect(await dispatcher.call(apnsToken, { appId: await givenApp(), refused: null })).toBeNull()
})

// spec: administration/audit
test('each change of an app, its keys and credentials leaves one audit line, without the identity secret', async () => {
  const appId = await givenApp()
  const { id: keyId } = (await gateway.admin('POST', `/apps/${appId}/keys`, { kind: 'public', name: 'sdk' })).body
  await gateway.admin('PATCH', `/apps/${appId}`, { settings: { defaultTimezone: 'Asia/Tokyo' } })
  await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns())
  await gateway.admin('DELETE', `/apps/${appId}/providers/apns`)
  const { secret } = (await gateway.admin('POST', `/apps/${appId}/identity-secret`)).body
  await gateway.admin('DELETE', `/apps/${appId}/keys/${String(keyId)}`)

  const told = await gateway.admin('GET', `/apps/${appId}/audit`)
  expect(itemsOf(told.body).map(({ action }) => action)).toEqual([
    'key.revoked',
    'identity-secret.made',
    'provider.removed',
    'provider.set',
    'app.changed',
    'key.created',
    'app.created',
  ])
  expect(told.text).not.toContain(String(secret))
})

// spec: identity/verification, administration/identity-secret
test('where identity tokens are required, a public key names an external id only with one; secret keys need none', async () => {
  const app = await gateway.givenApp()
  const { secret } = (await gateway.admin('POST', `/apps/${app.appId}/identity-secret`)).body
  const signed = (claims: object, by = String(secret), alg?: string) => identityToken(by, claims, alg)
  const soon = Math.floor(Date.now() / 1000) + 600
  const body = { platform: 'ios', token: 't1', externalId: 'ada' }
  const register = async (token?: string, headers: Record<string, string> = { 'x-app-key': app.publicKey }) =>
    (
      await gateway.ask({
        method: 'POST',
        path: '/v1/subscriptions',
        headers: { ...headers, ...(token ? { 'x-identity-token': token } : {}) },
        body,
      })
    ).status

  expect(await register()).toBe(200)
  await gateway.admin('PATCH', `/apps/${app.appId}`, { settings: { identityVerification: 'required' } })
  const before = peers.registered.length
  for (const token of [
    undefined,
    'nonsense',
    signed({ sub: 'eve', exp: soon }),
    signed({ sub: 'ada', exp: soon - 1200 }),
    signed({ sub: 'ada', exp: soon + 86_400 }),
    signed({ sub: 'ada' }),
    signed({ sub: 'ada', exp: soon }, 'another secret'),
    signed({ sub: 'ada', exp: soon }, String(secret), 'none'),
  ]) {
    expect([token, await register(token)]).toEqual([token, 403])
  }
  expect(peers.registered).toHaveLength(before)
  expect(await register(signed({ sub: 'ada', exp: soon }))).toBe(200)
  expect(await register(undefined, { authorization: `Bearer ${app.secretKey}` })).toBe(200)
})

// spec: administration/circuits-shown
test('a provider is shown with its platform’s circuits; a probe that is asked for reaches audience and the audit', async () => {
  const appId = await givenApp()
  await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns())
  const circuit = {
    platform: 'ios',
    environment: 'production',
    state: 'open',
    code: 'credentials_invalid',
    since: '2026-01-31T08:00:00.000Z',
    probeAt: '2026-01-31T08:01:00.000Z',
    heldCount: 12,
  }
  peers.answers.set(readCircuits.subject, () => ({ circuits: [{ ...circuit, platform: 'web', environment: '' }, circuit], slowed: [] }))
  peers.answers.set(probeCircuits.subject, () => ({ open: 1 }))

  expect((await gateway.admin('GET', `/apps/${appId}/providers/apns`)).body['circuits']).toEqual([circuit])
  const told = await gateway.admin('POST', `/apps/${appId}/providers/apns/probe`)
  expect([told.status, told.body]).toEqual([202, { open: 1 }])
  expect(peers.asked.at(-1)).toEqual({ subject: probeCircuits.subject, request: { appId, platform: 'ios' } })
  expect(itemsOf((await gateway.admin('GET', `/apps/${appId}/audit`)).body)[0]).toMatchObject({
    action: 'provider.probed',
    subject: { kind: 'apns' },
  })
  expect((await gateway.admin('POST', `/apps/${newId()}/providers/fcm/probe`)).status).toBe(404)
})
