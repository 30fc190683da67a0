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
test('after ten wrong tokens an address cannot sign in for a minute, by link neither; another address can', async () => {
  const headers = visitor()
  // When a minute ends in between, the count of wrong tokens begins anew.
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
  // It is refused by its address, before anybody reads what it says.
  expect((await signIn(gateway, { token: 1, unknown: 'x'.repeat(10_000) }, headers)).status).toBe(429)
  expect((await signIn(gateway, { token: adminToken })).status).toBe(201)
})

test('right tokens do not count for the limit of wrong tokens', async () => {
  const headers = visitor()
  for (let n = 0; n < 15; n += 1) expect((await signIn(gateway, { token: adminToken }, headers)).status).toBe(201)
})

const refusedLines = async () => {
  const { rows } = await sql<{ subject: Record<string, unknown> }>`
    select subject from audit where action = 'session.refused' order by created_at, id`.execute(db)
  return rows
}

const givenCode = async (body: { name?: string } = {}) => {
  const { status, body: link } = await gateway.admin('POST', '/sign-in-links', body)
  expect(status).toBe(201)
  const lastsMinutes = (Date.parse(String(link['expiresAt'])) - Date.now()) / 60_000
  expect([lastsMinutes > 9.5, lastsMinutes < 10.5]).toEqual([true, true])
  const [, code, asks] = /^http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=([A-Za-z0-9_-]{43})(&name)?$/.exec(String(link['url'])) ?? []
  expect(code).toBeDefined()
  expect(asks).toBe(body.name === undefined ? '&name' : undefined)
  return String(code)
}

// spec: administration/sign-in-links
test('a sign-in link signs in once, also for several visitors at once, with its name or theirs', async () => {
  const code = await givenCode({ name: 'Robin' })
  const told = await Promise.all(Array.from({ length: 5 }, () => signIn(gateway, { code })))
  expect(told.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 401, 401, 401, 401])
  expect(told.find(({ status }) => status === 201)?.body['name']).toBe('Robin')

  expect((await signIn(other, { code: await givenCode({ name: 'Robin' }), name: 'Sam' })).body['name']).toBe('Sam')
  expect((await signIn(gateway, { code: await givenCode() })).body['name']).toBe('administrator')
})

// spec: administration/sign-in-links
test('a sign-in link does not work after ten minutes, or after the administration token was changed', async () => {
  const code = await givenCode()
  await sql`update sign_in_links set created_at = now() - interval '601 seconds'`.execute(db)
  expect((await signIn(gateway, { code })).status).toBe(401)

  const before = await givenCode()
  const renewed = await startGateway(addresses, { ADMIN_TOKEN: 'another-administration-token-of-these-tests' })
  expect((await signIn(renewed, { code: before })).status).toBe(401)
  expect((await signIn(gateway, { code: before })).status).toBe(201)
})

// spec: administration/sign-in-links
test('at most a hundred sign-in links wait to be used; a further link replaces the oldest', async () => {
  const oldest = await givenCode()
  for (let n = 0; n < 100; n += 1) await givenCode()
  expect(await db.selectFrom('sign_in_links').select('code_hash').execute()).toHaveLength(100)
  expect((await signIn(gateway, { code: oldest })).status).toBe(401)
})

// spec: administration/session-audit
test('however many strangers are refused, the audit grows by a line for each of 100 addresses and one', async () => {
  const fresh = await startGateway(addresses)
  const before = await refusedLines()
  const strangers = Array.from({ length: 130 }, (_, n) => visitor(`198.51.100.${n}`))
  for (let round = 0; round < 2; round += 1)
    await Promise.all(
      strangers.map((headers) => signIn(fresh, { token: 'z'.repeat(40) }, headers).then(({ status }) => expect(status).toBe(401))),
    )

  const lines = (await refusedLines()).slice(before.length)
  const hours = new Set(lines.map(({ subject }) => subject['hour'])).size
  expect(lines.length).toBeLessThanOrEqual(101 * hours)
  expect(lines.reduce((sum, { subject }) => sum + Number(subject['count']), 0)).toBe(260)
  expect(lines.filter(({ subject }) => subject['address'] === 'others').length).toBe(hours)
})

// spec: administration/audit-kept
test('a line of refused sign-ins only counts upwards: the database refuses every other change of it', async () => {
  await signIn(gateway, { token: 'w'.repeat(40) }, visitor('198.51.100.250'))
  const change = (expression: string) =>
    sql`update audit set subject = ${sql.raw(expression)} where subject ->> 'address' = '198.51.100.250'`.execute(db)
  for (const expression of [`subject || '{"count": 0}'`, `subject - 'count'`, `subject || '{"count": 9, "browser": "x"}'`, `'{}'`])
    await expect(change(expression)).rejects.toThrow('neither change nor go')
  await change(`subject || '{"count": 2}'`)
  await expect(sql`update audit set created_at = now() where subject ->> 'address' = '198.51.100.250'`.execute(db)).rejects.toThrow(
    'neither',
  )
})

// spec: administration/session-audit
test('the audit names the operator of a session, whatever x-admin-actor says, and records sign-ins, refusals and sign-outs', async () => {
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
  // When an hour ended in between, the new hour has a line too.
  expect([1, 2]).toContain(refusals.length)
  expect(refusals[0]).toMatchObject({ actor: 'somebody', subject: { by: 'token', hour: expect.stringMatching(/T\d\d:00:00Z$/) as string } })
  expect(refusals.reduce((sum, { subject }) => sum + Number(subject['count']), 0)).toBe(3)
  const { body: begun } = await gateway.admin('GET', '/audit?action=session.begun&limit=200')
  expect(new Set((begun['items'] as { action: string }[]).map(({ action }) => action))).toEqual(new Set(['session.begun']))
})
