import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../store/tables.ts'
import { adminToken, startGateway, type GatewayUnderTest } from '../testing/start-gateway.ts'
import { follow } from '../testing/follow.ts'
import { askWith, auditOfHerald, givenSession, signIn, visitor, type Session } from '../testing/sign-in.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const addresses = { database: url('gateway'), nats }
await startPeers(nats)
const gateway = await startGateway(addresses)
/** Another gateway, which has not cached what the first gateway has seen. */
const other = await startGateway(addresses)
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })

const given = (name = 'Dana', at = gateway) => givenSession(at, name)
const asked = (
  session: Session,
  method: string,
  path: string,
  { at = gateway, ...more }: { at?: GatewayUnderTest; headers?: Record<string, string>; body?: unknown } = {},
) => askWith(session, at, method, path, more)
const readsApps = async (session: Session, at = gateway) => (await asked(session, 'GET', '/v1/admin/apps', { at })).status
const makesApp = (session: Session, headers: Record<string, string> = {}) =>
  asked(session, 'POST', '/v1/admin/apps', { headers, body: { name: 'Shop' } })

// spec: administration/session
test('signing in with the administration token sets a cookie hidden from scripts; the dashboard can read the session again', async () => {
  const { told, cookie, csrf } = await given()

  expect(told.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-herald=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/) as string,
  ])
  expect(told.body).toEqual({
    name: 'Dana',
    expiresAt: expect.any(String) as string,
    csrfToken: csrf,
    scopes: ['read', 'send', 'people', 'settings'],
    appId: null,
  })
  const lastsHours = (Date.parse(String(told.body['expiresAt'])) - Date.now()) / 3_600_000
  expect(lastsHours).toBeGreaterThan(11.9)
  expect(lastsHours).toBeLessThan(12.1)
  expect(told.text).not.toContain(cookie.slice('__Host-herald='.length))
  expect(told.text).not.toContain(adminToken)

  for (const at of [gateway, other]) {
    const again = await at.ask({ path: '/v1/admin/session', headers: { cookie } })
    expect(again).toMatchObject({ status: 200, body: { name: 'Dana', csrfToken: csrf } })
  }
  const nobody = await gateway.ask({ path: '/v1/admin/session' })
  expect(nobody.status).toBe(401)
  expect((await gateway.admin('GET', '/session')).status).toBe(401)
})

// spec: administration/session
test.each<[string, unknown, string]>([
  ['neither token nor code', { name: 'Dana' }, 'token'],
  ['both token and key', { token: adminToken, key: 'x' }, 'token'],
  ['both token and code', { token: adminToken, code: 'x' }, 'token'],
  ['a line break in the name', { token: adminToken, name: 'a\nb' }, 'name'],
  ['a name of 65 letters', { token: adminToken, name: 'x'.repeat(65) }, 'name'],
])('a sign-in with %s is refused, and the error names its field', async (_, body, path) => {
  const told = await signIn(gateway, body)
  expect([told.status, told.body.error?.details?.[0]?.path]).toEqual([422, path])
})

// spec: administration/session-list
test('a session is listed with its browser and ended by another one, at every gateway; the audit names who did', async () => {
  const [mine, lost] = [await given('Owner'), await given('Lost laptop')]
  await readsApps(lost, other)
  type Listed = { id: string; name: string; browser: string; isThis: boolean; keyName: null; createdAt: string; lastUsedAt: string }
  const list = async () => (await asked(mine, 'GET', '/v1/admin/sessions')).body['items'] as Listed[]
  const listed = await list()
  expect(listed.filter(({ isThis }) => isThis).map(({ name }) => name)).toEqual(['Owner'])
  const { id = '', ...about } = listed.find(({ name }) => name === 'Lost laptop') ?? {}
  expect(about).toMatchObject({ keyName: null, browser: expect.any(String) as string, lastUsedAt: expect.any(String) as string })

  expect((await asked(mine, 'DELETE', `/v1/admin/sessions/${id}`)).status).toBe(204)
  expect((await asked(mine, 'DELETE', `/v1/admin/sessions/${id}`)).status).toBe(404)
  expect(await readsApps(lost)).toBe(401)
  await until(async () => (await readsApps(lost, other)) === 401)
  expect(await readsApps(mine)).toBe(200)
  expect((await list()).map(({ name }) => name)).not.toContain('Lost laptop')
  const line = (await auditOfHerald(gateway)).find(({ action, actor }) => action === 'session.ended' && actor === 'Owner')
  expect(line?.subject).toEqual({ id, name: 'Lost laptop', why: 'ended by the actor' })
})

// spec: administration/session-kept
test('the database has only hashes of sessions and links, and writes a session’s use once a minute', async () => {
  const session = await given('Kept')
  const link = (await gateway.admin('POST', '/sign-in-links', {})).body
  const code = /#code=([\w-]+)/.exec(String(link['url']))?.[1] ?? ''
  const { rows } = await sql<{ row: string }>`
    select sessions::text as row from sessions union all select sign_in_links::text from sign_in_links union all select audit::text from audit`.execute(
    db,
  )
  const all = rows.map(({ row }) => row).join('\n')
  for (const secret of [session.cookie.slice('__Host-herald='.length), code, adminToken, session.csrf]) {
    expect(secret.length).toBeGreaterThan(30)
    expect(all).not.toContain(secret)
    expect(all).not.toContain(Buffer.from(secret).toString('hex'))
    for (const { lines } of [gateway, other]) expect(JSON.stringify(lines())).not.toContain(secret)
  }

  const writes = async () => (await sql<{ xmin: string }>`select xmin::text from sessions where name = 'Kept'`.execute(db)).rows[0]?.xmin
  expect(await readsApps(session)).toBe(200)
  const before = await writes()
  for (let n = 0; n < 20; n += 1) expect(await readsApps(session)).toBe(200)
  expect(await writes()).toBe(before)
})

// spec: administration/session-reach
test('a session’s cookie opens the administration, not the public segments, and other origins cannot read answers', async () => {
  const session = await given()
  expect(await readsApps(session)).toBe(200)
  const told = await asked(session, 'GET', '/v1/segments')
  expect(told.status).toBe(401)
  const foreign = await gateway.ask({ method: 'OPTIONS', path: '/v1/admin/apps', headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(405)
  for (const { headers } of [foreign, await asked(session, 'GET', '/v1/admin/apps')])
    expect(headers).not.toHaveProperty('access-control-allow-origin')
})

// spec: administration/session-origin
test('a change with a session’s cookie needs the x-csrf-token of that session', async () => {
  const [session, another] = [await given(), await given()]
  expect((await makesApp(session)).status).toBe(201)

  for (const csrf of ['', 'x', another.csrf, session.csrf.slice(0, -1), `${session.csrf}x`]) {
    const told = await makesApp(session, { 'x-csrf-token': csrf })
    expect([told.status, told.body.error?.code]).toEqual([403, 'forbidden'])
    expect(told.body.error?.message).toContain('x-csrf-token')
  }
  const without = await gateway.ask({ method: 'POST', path: '/v1/admin/apps', headers: { cookie: session.cookie }, body: { name: 'Shop' } })
  expect([without.status, without.body.error?.code]).toEqual([403, 'forbidden'])
  const signOut = await gateway.ask({ method: 'DELETE', path: '/v1/admin/session', headers: { cookie: session.cookie } })
  expect([signOut.status, await readsApps(session)]).toEqual([403, 200])
})

// spec: administration/session-origin
test('requests that another site makes a browser send are refused, be they reads, changes or sign-ins', async () => {
  const session = await given()
  const own = `http://127.0.0.1:${gateway.port}`
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: `http://127.0.0.1:${gateway.port + 1}` },
    { origin: 'null' },
    { origin: 'nonsense', 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of foreign) {
    expect([headers, (await asked(session, 'GET', '/v1/admin/apps', { headers })).status]).toEqual([headers, 403])
    expect([headers, (await makesApp(session, headers)).status]).toEqual([headers, 403])
    expect([headers, (await signIn(gateway, { token: adminToken }, { ...visitor(), ...headers })).status]).toEqual([headers, 403])
  }
  const ours: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin' },
    { origin: own },
    { origin: own, 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of ours) {
    expect((await makesApp(session, headers)).status).toBe(201)
    expect((await signIn(gateway, { token: adminToken }, { ...visitor(), ...headers })).status).toBe(201)
  }
})

// spec: administration/session-origin
test('behind a proxy that changes the host, requests of pages at HERALD_BASE_URL count as the dashboard’s own', async () => {
  const behind = await startGateway(addresses, { HERALD_BASE_URL: 'https://push.shop.example' })
  const session = await given('Dana', behind)
  const change = (origin: string) => asked(session, 'POST', '/v1/admin/apps', { at: behind, headers: { origin }, body: { name: 'Shop' } })
  expect((await change('https://push.shop.example')).status).toBe(201)
  expect((await change('http://push.shop.example')).status).toBe(403)
  expect((await change('https://shop.example')).status).toBe(403)
})

// spec: administration/token
test('the header Authorization takes precedence over a session’s cookie, even when the header is wrong', async () => {
  const session = await given()
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  expect((await asked(session, 'GET', '/v1/admin/apps', { headers: bearer('x'.repeat(40)) })).status).toBe(401)
  const change = { method: 'POST', path: '/v1/admin/apps', body: { name: 'Shop' } }
  const told = await gateway.ask({ ...change, headers: { cookie: session.cookie, ...bearer(adminToken), origin: 'https://evil.example' } })
  expect(told.status).toBe(201)
})

// spec: administration/session
test('signing out ends the session in both gateways, and ends no other session', async () => {
  const [session, staying] = [await given('Going'), await given('Staying')]
  for (const at of [gateway, other]) expect([await readsApps(session, at), await readsApps(staying, at)]).toEqual([200, 200])

  const told = await asked(session, 'DELETE', '/v1/admin/session')

  expect([told.status, told.headers['set-cookie']]).toEqual([204, ['__Host-herald=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0']])
  expect(await readsApps(session)).toBe(401)
  await until(async () => (await readsApps(session, other)) === 401, { what: 'the end of the session at the other gateway' })
  expect([await readsApps(staying), await readsApps(staying, other)]).toEqual([200, 200])
})

// spec: administration/session-ends
test('a live stream ends within two seconds of signing out, at any gateway; other sessions’ streams go on', async () => {
  const { appId } = await gateway.givenApp()
  const [session, staying] = [await given('Leaving'), await given('Watching on')]
  const watch = ({ cookie }: Session, at: GatewayUnderTest) => follow(at.port, `/v1/admin/apps/${appId}/events`, { cookie })
  const streams = [await watch(session, gateway), await watch(session, other)]
  const kept = await watch(staying, other)
  // Both gateways have asked by now whether the session lasts.
  await until(() => [...streams, kept].every((stream) => stream.events().length > 0), { what: 'the streams' })
  await sleep(1_100)

  const signedOutAt = performance.now()
  expect((await asked(session, 'DELETE', '/v1/admin/session')).status).toBe(204)
  await until(() => streams.every((stream) => stream.ended() === 'end'), { what: 'the end of both streams' })
  expect(performance.now() - signedOutAt).toBeLessThan(2_000)
  expect(kept.ended()).toBeUndefined()
  kept.leave()
})

const age = (name: string, column: 'seen_at' | 'created_at', hours: number) =>
  sql`update sessions set ${sql.ref(column)} = now() - make_interval(hours => ${hours}) where name = ${name}`.execute(db)

// spec: administration/session-ends
test('a session ends after twelve hours without use, after seven days in any case, and when the administration token changes', async () => {
  const [idle, used, old, aging] = [await given('Idle'), await given('Used'), await given('Old'), await given('Aging')]
  await age('Idle', 'seen_at', 13)
  await age('Used', 'seen_at', 11)
  await age('Old', 'created_at', 7 * 24 + 1)
  await age('Aging', 'created_at', 7 * 24 - 1)
  // The other gateway has not seen these sessions. A gateway checks a session that it has cached again only after a minute.
  expect([await readsApps(idle, other), await readsApps(used, other), await readsApps(old, other)]).toEqual([401, 200, 401])
  const { body } = await asked(aging, 'GET', '/v1/admin/session', { at: other })
  const left = (Date.parse(String(body['expiresAt'])) - Date.now()) / 60_000
  expect(left).toBeGreaterThan(55)
  expect(left).toBeLessThan(61)

  const session = await given('Before the new token')
  const renewed = await startGateway(addresses, { ADMIN_TOKEN: 'another-administration-token-of-these-tests' })
  expect([await readsApps(session, renewed), await readsApps(session)]).toEqual([401, 200])
})

// spec: administration/session-ends, administration/session-audit
test('sessions whose time is over are deleted, each with a line in the audit', async () => {
  await given('Forgotten')
  await age('Forgotten', 'seen_at', 13)
  // The sweep of a gateway that starts runs at once.
  await startGateway(addresses)
  const ended = await until(
    async () => (await auditOfHerald(gateway)).find(({ action, actor }) => action === 'session.ended' && actor === 'Forgotten'),
    { what: 'the end of the session in the audit' },
  )
  expect(ended.subject).toMatchObject({ why: 'expired' })
  expect(await db.selectFrom('sessions').selectAll().where('name', '=', 'Forgotten').execute()).toEqual([])
})

// spec: administration/token-unset
test('without an administration token a sign-in and a request with a session’s cookie are 404', async () => {
  const without = await startGateway(addresses, { ADMIN_TOKEN: '' })
  for (const told of [
    await signIn(without, { token: '' }),
    await signIn(without, { token: adminToken }),
    await without.ask({ path: '/v1/admin/session', headers: { cookie: (await given()).cookie } }),
  ])
    expect(told.status).toBe(404)
})
