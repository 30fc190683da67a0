import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import type { Told } from './testing/ask.ts'
import { adminToken, startGateway, type GatewayUnderTest } from './testing/start-gateway.ts'
import { startPeers } from './testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const addresses = { database: url('gateway'), nats }
await startPeers(nats)
const gateway = await startGateway(addresses)
/** Another process: it remembers nothing of what this one has seen. */
const other = await startGateway(addresses)
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })

let visitors = 0
/** Each from an address of its own, so that the wrong tokens of one test limit no other. */
const from = (address = `203.0.113.${(visitors += 1)}`) => ({ 'x-forwarded-for': address })
const signIn = (body: unknown, { at = gateway, headers = from() }: { at?: GatewayUnderTest; headers?: Record<string, string> } = {}) =>
  at.ask({ method: 'POST', path: '/v1/admin/session', headers, body })

const cookieOf = (told: Told): string => /^(__Host-herald=[^;]*)/.exec(told.headers['set-cookie']?.[0] ?? '')?.[1] ?? ''
type Session = { cookie: string; csrf: string; told: Told }
async function givenSession(name = 'Dana', at = gateway): Promise<Session> {
  const told = await signIn({ token: adminToken, name }, { at })
  expect(told.status).toBe(201)
  return { cookie: cookieOf(told), csrf: String(told.body['csrfToken']), told }
}
const asked = (
  { cookie, csrf }: Session,
  method: string,
  path: string,
  { at = gateway, headers = {}, body }: { at?: GatewayUnderTest; headers?: Record<string, string>; body?: unknown } = {},
) => at.ask({ method, path, headers: { cookie, ...(method === 'GET' ? {} : { 'x-csrf-token': csrf }), ...headers }, body })
const readsApps = async (session: Session, at = gateway) => (await asked(session, 'GET', '/v1/admin/apps', { at })).status
const makesApp = (session: Session, headers: Record<string, string> = {}) =>
  asked(session, 'POST', '/v1/admin/apps', { headers, body: { name: 'Shop' } })
const auditOfHerald = async () => {
  const { body } = await gateway.admin('GET', '/audit?limit=200')
  return body['items'] as { actor: string; action: string; subject: Record<string, unknown> }[]
}

// spec: administration/session
test('the administration token begins a session: a cookie that no script reads, and an answer that can be had again', async () => {
  const { told, cookie, csrf } = await givenSession()

  expect(told.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-herald=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/) as string,
  ])
  expect(told.body).toEqual({ name: 'Dana', expiresAt: expect.any(String) as string, csrfToken: csrf })
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
  ['neither', { name: 'Dana' }, 'token'],
  ['both', { token: adminToken, code: 'x' }, 'token'],
  ['a name that is none', { token: adminToken, name: 'a\nb' }, 'name'],
  ['a long name', { token: adminToken, name: 'x'.repeat(65) }, 'name'],
])('a sign-in with %s is refused at its field', async (_, body, path) => {
  const told = await signIn(body)
  expect([told.status, told.body.error?.details?.[0]?.path]).toEqual([422, path])
})

// spec: administration/session-kept
test('of the session and of a link the hash alone is kept, and the use of a session is written once a minute at most', async () => {
  const session = await givenSession('Kept')
  const link = (await gateway.admin('POST', '/sign-in-links', {})).body
  const code = String(link['url']).split('#code=')[1] ?? ''
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
test('the cookie opens the administration and nothing else, and pages of other origins are told nothing', async () => {
  const session = await givenSession()
  expect(await readsApps(session)).toBe(200)
  const told = await asked(session, 'GET', '/v1/segments')
  expect(told.status).toBe(401)
  const foreign = await gateway.ask({ method: 'OPTIONS', path: '/v1/admin/apps', headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(405)
  for (const { headers } of [foreign, await asked(session, 'GET', '/v1/admin/apps')])
    expect(headers).not.toHaveProperty('access-control-allow-origin')
})

// spec: administration/session-origin
test('a change with the cookie needs x-csrf-token, and the one of this session', async () => {
  const [session, another] = [await givenSession(), await givenSession()]
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
test('what another site makes a browser ask is refused, read or change, sign-in too', async () => {
  const session = await givenSession()
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
    expect([headers, (await signIn({ token: adminToken }, { headers: { ...from(), ...headers } })).status]).toEqual([headers, 403])
  }
  const ours: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin' },
    { origin: own },
    { origin: own, 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of ours) {
    expect((await makesApp(session, headers)).status).toBe(201)
    expect((await signIn({ token: adminToken }, { headers: { ...from(), ...headers } })).status).toBe(201)
  }
})

// spec: administration/session-origin
test('behind a proxy that changes the host, the address that the operator gave is ours', async () => {
  const behind = await startGateway(addresses, { HERALD_BASE_URL: 'https://push.shop.example' })
  const session = await givenSession('Dana', behind)
  const change = (origin: string) => asked(session, 'POST', '/v1/admin/apps', { at: behind, headers: { origin }, body: { name: 'Shop' } })
  expect((await change('https://push.shop.example')).status).toBe(201)
  expect((await change('http://push.shop.example')).status).toBe(403)
  expect((await change('https://shop.example')).status).toBe(403)
})

// spec: administration/token
test('a header Authorization takes precedence over the cookie, a wrong one too', async () => {
  const session = await givenSession()
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  expect((await asked(session, 'GET', '/v1/admin/apps', { headers: bearer('x'.repeat(40)) })).status).toBe(401)
  const change = { method: 'POST', path: '/v1/admin/apps', body: { name: 'Shop' } }
  const told = await gateway.ask({ ...change, headers: { cookie: session.cookie, ...bearer(adminToken), origin: 'https://evil.example' } })
  expect(told.status).toBe(201)
})

// spec: administration/session
test('a session that was signed out of has ended at every gateway, and no other session has', async () => {
  const [session, staying] = [await givenSession('Going'), await givenSession('Staying')]
  for (const at of [gateway, other]) expect([await readsApps(session, at), await readsApps(staying, at)]).toEqual([200, 200])

  const told = await asked(session, 'DELETE', '/v1/admin/session')

  expect([told.status, told.headers['set-cookie']]).toEqual([204, ['__Host-herald=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0']])
  expect(await readsApps(session)).toBe(401)
  await until(async () => (await readsApps(session, other)) === 401, { what: 'the end of the session at the other gateway' })
  expect([await readsApps(staying), await readsApps(staying, other)]).toEqual([200, 200])
})

const age = (name: string, column: 'seen_at' | 'created_at', hours: number) =>
  sql`update sessions set ${sql.ref(column)} = now() - make_interval(hours => ${hours}) where name = ${name}`.execute(db)

// spec: administration/session-ends
test('a session ends after twelve hours without use, after seven days in any case, and with the token that it began under', async () => {
  const [idle, used, old, aging] = [
    await givenSession('Idle'),
    await givenSession('Used'),
    await givenSession('Old'),
    await givenSession('Aging'),
  ]
  await age('Idle', 'seen_at', 13)
  await age('Used', 'seen_at', 11)
  await age('Old', 'created_at', 7 * 24 + 1)
  await age('Aging', 'created_at', 7 * 24 - 1)
  // One that has not seen them: what is remembered is looked at again after a minute.
  expect([await readsApps(idle, other), await readsApps(used, other), await readsApps(old, other)]).toEqual([401, 200, 401])
  const { body } = await asked(aging, 'GET', '/v1/admin/session', { at: other })
  const left = (Date.parse(String(body['expiresAt'])) - Date.now()) / 60_000
  expect(left).toBeGreaterThan(55)
  expect(left).toBeLessThan(61)

  const session = await givenSession('Before the new token')
  const renewed = await startGateway(addresses, { ADMIN_TOKEN: 'another-administration-token-of-these-tests' })
  expect([await readsApps(session, renewed), await readsApps(session)]).toEqual([401, 200])
})

// spec: administration/session-ends, administration/session-audit
test('ends by themselves are in the audit, and the rows are gone', async () => {
  await givenSession('Forgotten')
  await age('Forgotten', 'seen_at', 13)
  // The sweep of a process that starts looks at once.
  await startGateway(addresses)
  const ended = await until(
    async () => (await auditOfHerald()).find(({ action, actor }) => action === 'session.ended' && actor === 'Forgotten'),
    { what: 'the end of the session in the audit' },
  )
  expect(ended.subject).toMatchObject({ why: 'expired' })
  expect(await db.selectFrom('sessions').selectAll().where('name', '=', 'Forgotten').execute()).toEqual([])
})

// spec: administration/sign-in-limit
test('after ten wrong tokens of an address in a minute also the right one waits, and another address does not', async () => {
  const headers = from()
  // A minute that ends in between begins to count anew.
  const statuses: number[] = []
  let told: Told
  do {
    told = await signIn({ token: 'x'.repeat(40) }, { headers })
    statuses.push(told.status)
  } while (told.status === 401 && statuses.length < 40)
  expect(statuses.length).toBeGreaterThan(10)
  expect([told.status, told.body.error?.code]).toEqual([429, 'rate_limited'])
  expect(Number(told.headers['retry-after'])).toBeGreaterThan(0)
  expect((await signIn({ code: 'x' }, { headers })).status).toBe(429)
  expect((await signIn({ token: adminToken }, { headers: from() })).status).toBe(201)
})

test('right tokens are not counted', async () => {
  const headers = from()
  for (let n = 0; n < 15; n += 1) expect((await signIn({ token: adminToken }, { headers })).status).toBe(201)
})

const givenCode = async (body: object = {}) => {
  const { status, body: link } = await gateway.admin('POST', '/sign-in-links', body)
  expect(status).toBe(201)
  const lastsMinutes = (Date.parse(String(link['expiresAt'])) - Date.now()) / 60_000
  expect([lastsMinutes > 9.5, lastsMinutes < 10.5]).toEqual([true, true])
  const [, code] = /^http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=([A-Za-z0-9_-]{43})$/.exec(String(link['url'])) ?? []
  expect(code).toBeDefined()
  return String(code)
}

// spec: administration/sign-in-links
test('a link signs in once, also when two come with it at once, under its name or one of their own', async () => {
  const code = await givenCode({ name: 'Robin' })
  const told = await Promise.all(Array.from({ length: 5 }, () => signIn({ code })))
  expect(told.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 401, 401, 401, 401])
  expect(told.find(({ status }) => status === 201)?.body['name']).toBe('Robin')

  expect((await signIn({ code: await givenCode({ name: 'Robin' }), name: 'Sam' }, { at: other })).body['name']).toBe('Sam')
  expect((await signIn({ code: await givenCode() })).body['name']).toBe('administrator')
})

// spec: administration/sign-in-links
test('a link of more than ten minutes ago signs in nobody, nor does one of before a new token', async () => {
  const code = await givenCode()
  await sql`update sign_in_links set created_at = now() - interval '601 seconds'`.execute(db)
  expect((await signIn({ code })).status).toBe(401)

  const before = await givenCode()
  const renewed = await startGateway(addresses, { ADMIN_TOKEN: 'another-administration-token-of-these-tests' })
  expect((await signIn({ code: before }, { at: renewed })).status).toBe(401)
  expect((await signIn({ code: before })).status).toBe(201)
})

// spec: administration/sign-in-links
test('a hundred links may wait; the oldest goes', async () => {
  const oldest = await givenCode()
  for (let n = 0; n < 100; n += 1) await givenCode()
  expect(await db.selectFrom('sign_in_links').select('code_hash').execute()).toHaveLength(100)
  expect((await signIn({ code: oldest })).status).toBe(401)
})

// spec: administration/session-audit
test('the name of a session is the actor of what is done with it, whatever x-admin-actor says; who comes, is refused and goes is in the audit', async () => {
  const session = await givenSession('Dana Ürün')
  const { body: app } = await makesApp(session, { 'x-admin-actor': 'somebody else' })
  const { body } = await gateway.admin('GET', `/apps/${String(app['id'])}/audit?actor=${encodeURIComponent('Dana Ürün')}`)
  expect(body['items']).toMatchObject([{ actor: 'Dana Ürün', action: 'app.created' }])

  await asked(session, 'DELETE', '/v1/admin/session')
  const headers = from()
  for (let n = 0; n < 3; n += 1) await signIn({ token: 'y'.repeat(40) }, { headers })
  await gateway.ask({
    method: 'POST',
    path: '/v1/admin/sign-in-links',
    headers: { authorization: `Bearer ${adminToken}`, 'x-admin-actor': 'the starter' },
    body: { name: 'Robin' },
  })

  const lines = await auditOfHerald()
  expect(
    lines.filter(({ actor }) => actor === 'Dana Ürün').map(({ action, subject }) => [action, subject['by'] ?? subject['why']]),
  ).toEqual([
    ['session.ended', 'signed out'],
    ['session.begun', 'token'],
  ])
  expect(lines).toContainEqual(expect.objectContaining({ actor: 'the starter', action: 'sign-in-link.made', subject: { name: 'Robin' } }))
  const refusals = lines.filter(({ action, subject }) => action === 'session.refused' && subject['address'] === headers['x-forwarded-for'])
  // A minute that ended in between has a first of its own.
  expect([1, 2]).toContain(refusals.length)
  expect(refusals[0]).toMatchObject({ actor: 'somebody', subject: { by: 'token' } })
  const { body: begun } = await gateway.admin('GET', '/audit?action=session.begun&limit=200')
  expect(new Set((begun['items'] as { action: string }[]).map(({ action }) => action))).toEqual(new Set(['session.begun']))
})

// spec: administration/token-unset
test('without an administration token there is nothing to sign in to', async () => {
  const without = await startGateway(addresses, { ADMIN_TOKEN: '' })
  for (const told of [
    await signIn({ token: '' }, { at: without }),
    await signIn({ token: adminToken }, { at: without }),
    await without.ask({ path: '/v1/admin/session', headers: { cookie: (await givenSession()).cookie } }),
  ])
    expect(told.status).toBe(404)
})
