import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../store/tables.ts'
import type { Told } from '../testing/ask.ts'
import { askWith, auditOfHerald, givenSession, signIn, visitor } from '../testing/sign-in.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'

const { url } = await freshDatabase()
const addresses = { database: url('gateway'), nats: await freshNats() }
const gateway = await startGateway(addresses)
const other = await startGateway(addresses)
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })

// spec: administration/sign-in-limit
test('after ten wrong tokens of an address in a minute also the right one waits, and another address does not', async () => {
  const headers = visitor()
  // A minute that ends in between begins to count anew.
  const statuses: number[] = []
  let told: Told
  do {
    told = await signIn(gateway, { token: 'x'.repeat(40) }, headers)
    statuses.push(told.status)
  } while (told.status === 401 && statuses.length < 40)
  expect(statuses.length).toBeGreaterThan(10)
  expect([told.status, told.body.error?.code]).toEqual([429, 'rate_limited'])
  expect(Number(told.headers['retry-after'])).toBeGreaterThan(0)
  expect((await signIn(gateway, { code: 'x' }, headers)).status).toBe(429)
  expect((await signIn(gateway, { token: adminToken })).status).toBe(201)
})

test('right tokens are not counted', async () => {
  const headers = visitor()
  for (let n = 0; n < 15; n += 1) expect((await signIn(gateway, { token: adminToken }, headers)).status).toBe(201)
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
  const told = await Promise.all(Array.from({ length: 5 }, () => signIn(gateway, { code })))
  expect(told.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 401, 401, 401, 401])
  expect(told.find(({ status }) => status === 201)?.body['name']).toBe('Robin')

  expect((await signIn(other, { code: await givenCode({ name: 'Robin' }), name: 'Sam' })).body['name']).toBe('Sam')
  expect((await signIn(gateway, { code: await givenCode() })).body['name']).toBe('administrator')
})

// spec: administration/sign-in-links
test('a link of more than ten minutes ago signs in nobody, nor does one of before a new token', async () => {
  const code = await givenCode()
  await sql`update sign_in_links set created_at = now() - interval '601 seconds'`.execute(db)
  expect((await signIn(gateway, { code })).status).toBe(401)

  const before = await givenCode()
  const renewed = await startGateway(addresses, { ADMIN_TOKEN: 'another-administration-token-of-these-tests' })
  expect((await signIn(renewed, { code: before })).status).toBe(401)
  expect((await signIn(gateway, { code: before })).status).toBe(201)
})

// spec: administration/sign-in-links
test('a hundred links may wait; the oldest goes', async () => {
  const oldest = await givenCode()
  for (let n = 0; n < 100; n += 1) await givenCode()
  expect(await db.selectFrom('sign_in_links').select('code_hash').execute()).toHaveLength(100)
  expect((await signIn(gateway, { code: oldest })).status).toBe(401)
})

// spec: administration/session-audit
test('the name of a session is the actor of what is done with it, whatever x-admin-actor says; who comes, is refused and goes is in the audit', async () => {
  const session = await givenSession(gateway, 'Dana Ürün')
  const { body: app } = await askWith(session, gateway, 'POST', '/v1/admin/apps', {
    headers: { 'x-admin-actor': 'somebody else' },
    body: { name: 'Shop' },
  })
  const { body } = await gateway.admin('GET', `/apps/${String(app['id'])}/audit?actor=${encodeURIComponent('Dana Ürün')}`)
  expect(body['items']).toMatchObject([{ actor: 'Dana Ürün', action: 'app.created' }])

  await askWith(session, gateway, 'DELETE', '/v1/admin/session')
  const headers = visitor()
  for (let n = 0; n < 3; n += 1) await signIn(gateway, { token: 'y'.repeat(40) }, headers)
  await gateway.ask({
    method: 'POST',
    path: '/v1/admin/sign-in-links',
    headers: { authorization: `Bearer ${adminToken}`, 'x-admin-actor': 'the starter' },
    body: { name: 'Robin' },
  })

  const lines = await auditOfHerald(gateway)
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
