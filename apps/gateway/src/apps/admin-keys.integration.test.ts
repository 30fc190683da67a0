import { adminScopes, type AdminScope } from '@herald/contracts/administration'
import { getCampaign } from '@herald/contracts/calls/campaigns'
import { listOpenCircuits, type OpenCircuit } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { Route } from '../http/route.ts'
import { administrationRoutes } from '../http/routes.ts'
import type { Tables } from '../store/tables.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { askWith, auditOfHerald, signIn, visitor, type Session } from '../testing/sign-in.ts'
import { givenCampaign } from '../testing/peer-answers.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const addresses = { database: url('gateway'), nats }
const peers = await startPeers(nats)
const gateway = await startGateway(addresses)
/** Another gateway, which remembers keys and sessions by itself. */
const other = await startGateway(addresses)
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
afterEach(() => peers.answers.clear())

const app = await gateway.givenApp()
const stranger = await gateway.givenApp()

type Made = { id: string; key: string }
async function givenKey(appId: string, scopes: readonly AdminScope[], name = 'pipeline'): Promise<Made> {
  const { status, body } = await gateway.admin('POST', `/apps/${appId}/admin-keys`, { name, scopes })
  if (status !== 201) throw new Error(`making a key answered ${status}`)
  return { id: String(body['id']), key: String(body['key']) }
}
const withKey = (key: string, method: string, path: string, body?: unknown, at = gateway) =>
  at.ask({ method, path: `/v1/admin${path}`, headers: { authorization: `Bearer ${key}` }, body })
async function givenSessionOf(key: string, name?: string): Promise<Session> {
  const told = await signIn(gateway, { key, ...(name !== undefined && { name }) })
  expect(told.status).toBe(201)
  const cookie = /^(__Host-herald=[^;]*)/.exec(told.headers['set-cookie']?.[0] ?? '')?.[1] ?? ''
  return { cookie, csrf: String(told.body['csrfToken']), told }
}

const single: [AdminScope, string][] = await Promise.all(
  adminScopes.map(async (scope): Promise<[AdminScope, string]> => [scope, (await givenKey(app.appId, [scope])).key]),
)
const foreign = (await givenKey(stranger.appId, adminScopes)).key

const titled = administrationRoutes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const)
const asked = (key: string, { method, path }: Route, head = false) =>
  withKey(
    key,
    head ? 'HEAD' : method.toUpperCase(),
    path
      .replace('/v1/admin', '')
      .replace(':appId', app.appId)
      .replaceAll(/:\w+/g, () => newId()),
  )

// spec: administration/admin-key-scopes
test.each(titled.filter(([, { key }]) => key === 'admin'))(
  'the route %s takes an administration key with its scope, and names it to a key without',
  async (_, route) => {
    for (const [scope, key] of single) {
      const isEnough = route.scope === scope || route.scope === 'any'
      // A stream does not end, so the test asks only for its headers.
      const { status, body } = await asked(key, route, isEnough && route.mediaType === 'text/event-stream')
      const isRefused = status === 403
      const isNamed = isRefused && new RegExp(`\\b${String(route.scope)}\\b`).test(body.error?.message ?? '')
      expect({ scope, isRefused, isNamed }).toEqual({ scope, isRefused: !isEnough, isNamed: !isEnough })
    }
  },
)

// spec: administration/admin-key-scopes, limits/foreign-ids
test.each(titled.filter(([, { path }]) => path.includes(':appId')))(
  'the route %s answers an administration key of another app as if this app did not exist',
  async (_, route) => {
    const unknown = await gateway.admin('GET', `/apps/${newId()}`)
    expect(await asked(foreign, route)).toMatchObject({ status: 404, text: unknown.text })
  },
)

// spec: administration/admin-keys
test('an administration key is shown once and listed without its text; the database keeps only a hash of it', async () => {
  const { status, body } = await gateway.admin('POST', `/apps/${app.appId}/admin-keys`, {
    name: 'release',
    scopes: ['send', 'read', 'send'],
  })
  const { key, ...shown } = body
  expect([status, key]).toEqual([201, expect.stringMatching(new RegExp(`^ak_live_${app.appId}_[A-Za-z0-9_-]{43}$`)) as string])
  expect(shown).toMatchObject({ name: 'release', scopes: ['send', 'read'], hint: String(key).slice(-4), lastUsedAt: null })

  const list = await withKey(single[0]?.[1] ?? '', 'GET', `/apps/${app.appId}/admin-keys?limit=1`)
  expect(list.body['items']).toEqual([shown])
  const stored = await sql<{ row: string }>`
    select admin_keys::text as row from admin_keys union all select audit::text from audit union all select api_keys::text from api_keys`.execute(
    db,
  )
  expect(stored.rows.filter(({ row }) => row.includes(String(key).slice(-43)))).toEqual([])
})

// spec: administration/admin-keys
test.each([
  [{ name: 'x', scopes: [] }, 'scopes'],
  [{ name: 'x', scopes: ['everything'] }, 'scopes.0'],
  [{ name: '', scopes: ['read'] }, 'name'],
])('making the administration key %j is refused with the path of the fault', async (body, path) => {
  const told = await gateway.admin('POST', `/apps/${app.appId}/admin-keys`, body)
  expect([told.status, told.body.error?.details?.[0]?.path]).toEqual([422, path])
})

// spec: administration/admin-keys
test('the audit names an administration key as the actor of what is done with it, whatever x-admin-actor says', async () => {
  const { key } = await givenKey(stranger.appId, ['settings'], 'herald apply')
  const { status } = await gateway.ask({
    method: 'PATCH',
    path: `/v1/admin/apps/${stranger.appId}`,
    headers: { authorization: `Bearer ${key}`, 'x-admin-actor': 'Dana' },
    body: { name: 'Shop of another' },
  })
  expect(status).toBe(200)
  const { body } = await gateway.admin('GET', `/apps/${stranger.appId}/audit?action=app.changed`)
  expect(body['items']).toMatchObject([{ actor: 'key herald apply' }])
})

// spec: administration/admin-keys, limits/key-revoked
test('a revoked administration key is refused at every gateway within 2 seconds, and its sessions have ended', async () => {
  const { id, key } = await givenKey(app.appId, ['read'])
  const session = await givenSessionOf(key)
  const standing = async () => [
    ...(await Promise.all([gateway, other].map(async (at) => (await withKey(key, 'GET', '/apps', undefined, at)).status))),
    ...(await Promise.all([gateway, other].map(async (at) => (await askWith(session, at, 'GET', '/v1/admin/apps')).status))),
  ]
  expect(await standing()).toEqual([200, 200, 200, 200])

  expect((await gateway.admin('DELETE', `/apps/${app.appId}/admin-keys/${id}`)).status).toBe(204)
  expect((await gateway.admin('DELETE', `/apps/${app.appId}/admin-keys/${id}`)).status).toBe(404)
  await until(async () => (await standing()).every((status) => status === 401), { withinMs: 2_000 })
  expect((await signIn(gateway, { key })).status).toBe(401)
})

// spec: administration/admin-keys
test('the administration keys of a deleted app stop working with it, and so do their sessions', async () => {
  const { appId } = await gateway.givenApp()
  const { key } = await givenKey(appId, adminScopes)
  const session = await givenSessionOf(key)
  expect((await askWith(session, other, 'GET', '/v1/admin/apps')).status).toBe(200)
  await gateway.admin('DELETE', `/apps/${appId}`)
  await until(async () => (await withKey(key, 'GET', '/apps', undefined, other)).status === 401)
  await until(async () => (await askWith(session, other, 'GET', '/v1/admin/apps')).status === 401)
})

// spec: administration/admin-keys
test('an administration key is no API key: the public API answers 401 to it', async () => {
  for (const headers of [{ authorization: `Bearer ${foreign}` }, { 'x-app-key': foreign }])
    expect((await gateway.ask({ path: '/v1/templates', headers })).status).toBe(401)
})

// spec: administration/admin-key-session
test('a session by an administration key has the key’s scopes and app, and a default name with the key’s name', async () => {
  const { id, key } = await givenKey(app.appId, ['read', 'send'], 'campaign team')
  const session = await givenSessionOf(key)
  expect(session.told.body).toMatchObject({ name: 'key campaign team', scopes: ['read', 'send'], appId: app.appId })
  expect((await askWith(session, other, 'GET', '/v1/admin/session')).body).toMatchObject({ scopes: ['read', 'send'], appId: app.appId })
  const statuses = async (requests: [string, string][]) =>
    Promise.all(requests.map(async ([method, path]) => (await askWith(session, gateway, method, `/v1/admin${path}`)).status))
  expect(
    await statuses([
      ['GET', `/apps/${app.appId}`],
      ['GET', `/apps/${app.appId}/users`],
      ['POST', `/apps/${app.appId}/keys`],
      ['POST', '/sign-in-links'],
      ['GET', `/apps/${stranger.appId}`],
    ]),
  ).toEqual([200, 403, 403, 403, 404])
  expect((await auditOfHerald(gateway)).find(({ subject }) => subject['keyId'] === id)).toMatchObject({
    action: 'session.begun',
    actor: 'key campaign team',
    subject: { by: 'key' },
  })
  expect((await givenSessionOf(key, 'Dana')).told.body['name']).toBe('Dana')
})

// spec: administration/sign-in-limit
test('ten wrong administration keys from an address within a minute are followed by 429, also for a right key', async () => {
  const headers = visitor()
  const wrong = `${foreign.slice(0, -43)}${'A'.repeat(43)}`
  const told = await Promise.all(Array.from({ length: 10 }, () => signIn(gateway, { key: wrong }, headers)))
  // When a minute ended in between, the new minute begins to count anew.
  for (let n = 0; n < 10 && told.every(({ status }) => status === 401); n += 1) told.push(await signIn(gateway, { key: wrong }, headers))
  expect(told.at(-1)?.status).toBe(429)
  expect((await signIn(gateway, { key: foreign }, headers)).status).toBe(429)
})

// spec: administration/admin-key-scopes
test('an administration key lists its app alone, and sees no circuits of others in Herald’s state', async () => {
  const circuit = {
    platform: 'ios',
    environment: 'production',
    code: 'credentials_invalid',
    since: new Date().toISOString(),
    probeAt: null,
  }
  const circuits = [app, stranger].map(({ appId }) => ({ ...circuit, appId })) as OpenCircuit[]
  peers.answers.set(listOpenCircuits.subject, () => ({ count: 2, circuits }))
  expect((await withKey(foreign, 'GET', '/apps')).body['items']).toMatchObject([{ id: stranger.appId }])
  expect((await withKey(foreign, 'GET', '/system')).body['openCircuits']).toEqual({ count: 1, items: [circuits[1]] })
  expect((await gateway.admin('GET', '/system')).body['openCircuits']).toMatchObject({ count: 2 })
})

// spec: administration/admin-key-scopes
test('without the scope people an administration key reads neither a campaign’s ids nor a dry run’s samples', async () => {
  const campaign = { ...givenCampaign, audience: { kind: 'people', by: 'externalIds', count: 1, ids: ['customer-7'] } }
  peers.answers.set(getCampaign.subject, () => campaign)
  const idsFor = async (key: string, appId: string) =>
    (await withKey(key, 'GET', `/apps/${appId}/campaigns/${newId()}`)).body['audience'] as { ids: unknown }
  const [[, read] = ['', ''], [, send] = ['', '']] = single
  expect(await idsFor(read, app.appId)).toMatchObject({ count: 1, ids: null })
  expect(await idsFor(foreign, stranger.appId)).toMatchObject({ count: 1, ids: ['customer-7'] })

  const dryRun = { campaignId: newId(), samples: {} }
  const told = await withKey(send, 'POST', `/apps/${app.appId}/dry-run`, dryRun)
  expect([told.status, told.body.error?.message]).toEqual([403, 'The administration key does not have the scope people.'])
})

// spec: administration/admin-key-scopes
test('without the scope people an administration key names no URL that would receive the events of users', async () => {
  const [, settings = ''] = single[3] ?? []
  const url = 'https://elsewhere.example/events'
  const path = `/apps/${app.appId}/webhooks`
  for (const [method, at, body] of [
    ['POST', path, { url }],
    ['PATCH', `${path}/${newId()}`, { url }],
  ] as const) {
    const told = await withKey(settings, method, at, body)
    expect([told.status, told.body.error?.message]).toEqual([403, 'The administration key does not have the scope people.'])
  }
  expect((await withKey(settings, 'PATCH', `${path}/${newId()}`, { description: 'Shop' })).status).not.toBe(403)
})
