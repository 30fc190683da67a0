import { generateKeyPairSync } from 'node:crypto'
import { createSegment, deleteSegment } from '@herald/contracts/calls/audience'
import { endCampaign, getCampaign } from '@herald/contracts/calls/campaigns'
import { countExperiment, countUplift } from '@herald/contracts/calls/tracker'
import { createWebhook } from '@herald/contracts/calls/webhooks'
import { notFound, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { exampleOf } from '../openapi/http/examples.ts'
import type { Route } from '../http/route.ts'
import { administrationRoutes } from '../http/routes.ts'
import { deleteOldAudit, writeOldIntents, type AuditEntry } from './store/audit.ts'
import type { Tables } from '../store/tables.ts'
import { fullAnswers, whyNotDescribed } from '../testing/described-answer.ts'
import { givenCampaign } from '../testing/peer-answers.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'
import { startSimulator } from '../testing/start-simulator.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const simulator = await startSimulator()
const gateway = await startGateway({ database: url('gateway'), nats }, simulator.settings)
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
afterEach(() => peers.answers.clear())

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, raw?: string | Buffer) =>
  gateway.ask({
    method,
    path: `/v1/admin${path}`,
    headers: headers['cookie'] === undefined ? { authorization: `Bearer ${adminToken}`, ...headers } : headers,
    body,
    ...(raw === undefined ? {} : { raw }),
  })
const givenApp = async () => String((await ask('POST', '/apps', { name: 'Shop' })).body['id'])
const linesOf = (appId: string) => db.selectFrom('audit').selectAll().where('app_id', '=', appId).orderBy('created_at').execute()
const list = async (appId: string, query = '') => {
  const { status, body } = await ask('GET', `/apps/${appId}/audit${query}`)
  return {
    status,
    items: (body['items'] ?? []) as AuditEntry[],
    nextCursor: (body['nextCursor'] ?? null) as string | null,
    path: body.error?.details?.[0]?.path,
  }
}
const actionsOf = async (appId: string, query = '') => (await list(appId, query)).items.map(({ action }) => action)

const pem = (type: 'ec' | 'rsa') =>
  (type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' }) : generateKeyPairSync('rsa', { modulusLength: 2048 })).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
const [p8, rsa] = [pem('ec'), pem('rsa')]
const inside = (key: string) => key.split('\n')[2] ?? ''

/** A picture of one pixel. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const apns = { teamId: 'TEAM000001', keyId: 'KEY0000001', privateKey: p8, bundleId: 'org.example.shop', environment: 'production' }
const serviceAccount = { project_id: 'shop', client_email: 'sender@shop.example', private_key: rsa }
/** Request bodies that this test sends in place of an example of the document. */
const bodies: Record<string, unknown> = {
  createApp: { name: 'Shop' },
  changeApp: { settings: { defaultTimezone: 'Europe/Vienna' } },
  createKey: { kind: 'secret', name: 'backend' },
  setApns: apns,
  setFcm: { serviceAccount },
  setWebPush: { subject: 'mailto:canary-of-web-push@shop.example' },
  createWebhook: { url: 'https://receiver.example/canary-in-an-address' },
  changeWebhook: { enabled: false, url: 'https://receiver.example/canary-in-an-address' },
  changeSubscriptionOfApp: { optedIn: false },
  sendTest: { subscriptionId: newId(), silent: true, data: { coupon: 'canary-in-data' } },
  startImport: { format: 'csv' },
  replaceCampaignOfApp: { name: 'Sale', silent: true, data: { coupon: 'canary-in-data' } },
  searchUsersOfApp: { token: 'canary-of-a-token' },
  beginSession: { token: adminToken, name: 'walker of beginSession' },
  makeSignInLink: { name: 'Robin' },
  setSimulatedBehaviour: { answer: 'dead' },
}
const bodyOf = (name: string, appId: string) =>
  ofApp[name]?.(appId) ?? bodies[name] ?? Object.values(exampleOf[name.replace(/OfApp$/, '')]?.bodies ?? {})[0]

const ofApp: Record<string, (appId: string) => unknown> = {
  takeSimulatedAccount: (appId) => ({ appId, kind: 'webpush' }),
  addSimulatedDevice: (appId) => ({ appId, platform: 'ios' }),
}
const queriesOfApp = new Set(['listSimulatedDevices', 'listSimulatedPushes', 'watchSimulator'])

const queries: Record<string, string> = {
  explainSend: `?campaignId=${newId()}&subscriptionId=${newId()}`,
  sendImportData: '?offset=0',
  readCampaignUplift: '?conversion=order',
  readHoldoutUplift: '?conversion=order',
}

/** Makes what a route needs, and gives the parameters of its path. */
const givenFor: Record<string, (appId: string) => Promise<Record<string, string>>> = {
  deletePicture: givenPicture,
  endSessionById: givenOtherSession,
  readDraft: givenDraft,
  deleteDraft: givenDraft,
  'rollback-apns': (appId) => givenFormer(appId, 'apns', { ...apns, bundleId: 'org.example.other' }),
  'rollback-fcm': (appId) => givenFormer(appId, 'fcm', { serviceAccount: { ...serviceAccount, client_email: 'other@shop.example' } }),
  readExperiment: givenExperiment,
  readCampaignUplift: givenHoldout,
  readHoldoutUplift: givenHoldout,
  redrawHoldout: givenHoldout,
  'rollback-webpush': (appId) => givenFormer(appId, 'webpush', { subject: 'mailto:other@shop.example' }),
}
async function givenOtherSession() {
  await givenSession('to be ended')
  const { body } = await ask('GET', '/sessions')
  const sessions = (body['items'] ?? []) as { id: string; name: string }[]
  return { id: sessions.find(({ name }) => name === 'to be ended')?.id ?? '' }
}
async function givenPicture(appId: string) {
  const { body } = await ask('POST', `/apps/${appId}/pictures`, undefined, { 'content-type': 'image/png' }, png)
  return { id: String(body['id']) }
}
async function givenFormer(appId: string, kind: string, body: object) {
  await ask('PUT', `/apps/${appId}/providers/${kind}`, body)
  return {}
}
async function givenExperiment() {
  const content = { _default: 'en', en: { title: 'Hi', body: 'There' } }
  const experiment = { sampleRate: 1, variants: ['a', 'b'].map((id) => ({ id, name: id, weight: 1, content })) }
  const variants = ['a', 'b'].map((id) => ({ id, assigned: 10, sent: 10, events: 1 }))
  peers.answers.set(getCampaign.subject, () => ({ ...givenCampaign, experiment }))
  peers.answers.set(countExperiment.subject, () => ({ asOf: '2026-02-01T08:00:00.000Z', fannedOut: true, appRate: 0.05, variants }))
  return {}
}
async function givenHoldout(appId: string) {
  await ask('PATCH', `/apps/${appId}`, { settings: { holdout: { percent: 5 } } })
  peers.answers.set(countUplift.subject, () => ({
    treated: { users: 900, converted: 90 },
    control: { users: 100, converted: 5 },
    final: false,
  }))
  return {}
}
async function givenDraft(appId: string) {
  const id = newId()
  await ask('PUT', `/apps/${appId}/drafts/${id}`, { draft: { name: 'Sale', coupon: 'canary-in-a-draft' } })
  return { id }
}

/** Begins a session and gives the headers that requests send in place of the administration token. */
async function givenSession(name: string): Promise<Record<string, string>> {
  const { headers, body } = await ask('POST', '/session', { token: adminToken, name })
  const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? []
  return { cookie, 'x-csrf-token': String(body['csrfToken']) }
}

/** Calls a route of the administration on a new app with a key and credentials. Gives the answer and the audit lines that the call wrote. */
async function walk({ name, method, path, key, body, mediaType, takes }: Route) {
  const appId = await givenApp()
  const apiKey = (await ask('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'backend' })).body
  const adminKey = (await ask('POST', `/apps/${appId}/admin-keys`, { name: 'pipeline', scopes: ['read'] })).body
  for (const kind of ['apns', 'fcm', 'webpush'] as const) {
    const credentials = { apns: bodies['setApns'], fcm: bodies['setFcm'], webpush: bodies['setWebPush'] }[kind]
    await ask('PUT', `/apps/${appId}/providers/${kind}`, credentials)
  }
  if (name === 'takeSimulatedAccount') await ask('DELETE', `/apps/${appId}/providers/webpush`)
  const session = path === '/v1/admin/session' && key !== 'sign-in' ? await givenSession(`walker of ${name}`) : undefined
  const params: Record<string, string> = {
    deviceId: 'ios-300',
    appId,
    keyId: String((name === 'revokeAdminKey' ? adminKey : apiKey)['id']),
    deliveryId: 'dlv_1',
    ...(await givenFor[name]?.(appId)),
  }
  const at = path.replace('/v1/admin', '').replaceAll(/:(\w+)/g, (_, param: string) => params[param] ?? newId())
  const before = await db.selectFrom('audit').select('id').execute()
  const requestId = newId()
  // A stream does not end, so the test asks only for its headers.
  const told = await ask(
    mediaType === 'text/event-stream' ? 'HEAD' : method.toUpperCase(),
    at + (queriesOfApp.has(name) ? `?appId=${appId}` : (queries[name] ?? '')),
    body === undefined ? undefined : bodyOf(name, appId),
    {
      'x-admin-actor': `walker of ${name}`,
      'x-request-id': requestId,
      ...(takes === undefined ? {} : { 'content-type': takes.includes('image/png') ? 'image/png' : 'text/csv' }),
      ...session,
    },
    takes === undefined ? undefined : takes.includes('image/png') ? png : 'platform,token\n',
  )
  const known = new Set(before.map(({ id }) => id))
  const written = (await db.selectFrom('audit').selectAll().execute()).filter(({ id }) => !known.has(id))
  return { told, requestId, written, shown: [String(apiKey['key']), String(adminKey['key']), told.text] }
}

const changing = administrationRoutes.filter(({ audit }) => typeof audit === 'object')
const reading = administrationRoutes.filter(({ audit }) => typeof audit !== 'object')

// spec: administration/audit
test('every audited administration route leaves one audit line with action, actor and request, and no secret', async () => {
  const secrets = [inside(p8), inside(rsa), 'canary', adminToken]
  for (const route of changing) {
    // Only a campaign that exists is exported.
    if (route.name === 'exportPushesOfCampaign') for (const [{ subject }, answer] of fullAnswers) peers.answers.set(subject, () => answer)
    const { told, requestId, written, shown } = await walk(route)
    expect([route.name, told.status]).toEqual([route.name, route.status])
    expect([route.name, written]).toMatchObject([
      route.name,
      [{ action: Object(route.audit).action as string, actor: `walker of ${route.name}`, request_id: requestId }],
    ])
    expect(written).toHaveLength(1)
    // An answer shows a new key or secret once; the audit must never show it.
    secrets.push(...shown.flatMap((text) => text.match(/(?:[spa]k_live|whsec|ids)_[A-Za-z0-9_-]+/g) ?? []))
  }
  expect(changing.length).toBeGreaterThan(25)
  expect(await db.selectFrom('audit_intents').selectAll().execute()).toEqual([])
  const { rows } = await sql<{ line: string }>`select audit::text as line from audit`.execute(db)
  const lines = rows.map(({ line }) => line).join('\n')
  expect(secrets.length).toBeGreaterThan(30)
  expect(secrets.filter((secret) => secret === '' || lines.includes(secret))).toEqual([])
}, 120_000)

// spec: administration/audit
test('an administration route that is not to be audited leaves no audit line', async () => {
  for (const route of reading) {
    const { told, written } = await walk(route)
    expect([route.name, told.status < 500, written]).toEqual([route.name, true, []])
  }
}, 120_000)

// spec: administration/document
test('every administration route but the streams answers as its document says, without a field that the document does not name', async () => {
  // A stream does not end, so it is left out here. follow-progress.integration.test.ts tests the events of one.
  const wrong: unknown[] = []
  for (const route of administrationRoutes.filter(({ mediaType }) => mediaType !== 'text/event-stream')) {
    for (const [{ subject }, answer] of fullAnswers) peers.answers.set(subject, () => answer)
    const { told } = await walk(route)
    const why = whyNotDescribed(route, told)
    if (told.status !== route.status || why !== undefined) wrong.push([route.name, told.status, why, told.text])
  }
  expect(wrong).toEqual([])
}, 120_000)

test('where a route has a second success status, such as 202, its answer is as the document says', async () => {
  peers.answers.set(endCampaign.subject, () => ({ status: 'paused' }))
  for (const route of administrationRoutes.filter(({ alsoAnswers }) => alsoAnswers !== undefined)) {
    const { told } = await walk(route)
    expect([route.name, String(told.status)]).toEqual([route.name, Object.keys(route.alsoAnswers ?? {}).join()])
    expect(whyNotDescribed(route, told)).toBeUndefined()
  }
})

test('a refused change leaves no audit line, whether the gateway or another service refuses it', async () => {
  const appId = await givenApp()
  peers.answers.set(deleteSegment.subject, () => {
    throw notFound()
  })

  expect((await ask('DELETE', `/apps/${appId}/segments/${newId()}`)).status).toBe(404)
  expect((await ask('DELETE', `/apps/${appId}/keys/${newId()}`)).status).toBe(404)
  expect((await ask('POST', `/apps/${appId}/webhooks`, {})).status).toBe(422)
  expect((await ask('POST', `/apps/${newId()}/webhooks`, { url: 'https://receiver.example/' })).status).toBe(404)

  expect((await linesOf(appId)).map(({ action }) => action)).toEqual(['app.created'])
  expect(await db.selectFrom('audit_intents').selectAll().execute()).toEqual([])
})

test('when it stays unknown whether another service made a change, one audit line says so a minute later', async () => {
  const appId = await givenApp()
  peers.answers.set(createSegment.subject, () => {
    throw queueUnavailable()
  })
  const segment = Object.values(exampleOf['createSegment']?.bodies ?? {})[0]
  expect((await ask('POST', `/apps/${appId}/segments`, segment, { 'x-admin-actor': 'ann' })).status).toBe(503)
  expect(await writeOldIntents(db)).toBe(0)
  await sql`update audit_intents set created_at = now() - interval '61 seconds'`.execute(db)

  expect((await Promise.all([writeOldIntents(db), writeOldIntents(db)])).reduce((sum, count) => sum + count)).toBe(1)

  expect((await list(appId, '?action=segment.')).items).toMatchObject([
    { actor: 'ann', action: 'segment.created', subject: { unconfirmed: true } },
  ])
})

test('the audit does not call a change unconfirmed while the other service still works on it', async () => {
  const appId = await givenApp()
  peers.answers.set(createWebhook.subject, async () => {
    await sql`update audit_intents set created_at = now() - interval '61 seconds'`.execute(db)
    await vi.advanceTimersByTimeAsync(10_000)
    await until(
      async () =>
        (
          await db
            .selectFrom('audit_intents')
            .selectAll()
            .where('created_at', '>', sql<Date>`now() - interval '1 minute'`)
            .execute()
        )[0],
    )
    expect(await writeOldIntents(db)).toBe(0)
    return { id: newId() }
  })

  // The only clock that is replaced is that of the renewals, which are 10 s apart.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await ask('POST', `/apps/${appId}/webhooks`, { url: 'https://receiver.example/' }).finally(() => vi.useRealTimers())

  const [line] = (await list(appId, '?action=webhook.created')).items
  expect(line?.subject).not.toHaveProperty('unconfirmed')
})

test('a change in another service is noted in the database before that service is asked for it', async () => {
  const appId = await givenApp()
  let seen: unknown[] = []
  peers.answers.set(createWebhook.subject, async () => {
    seen = await db.selectFrom('audit_intents').selectAll().where('app_id', '=', appId).execute()
    return { id: newId() }
  })

  await ask('POST', `/apps/${appId}/webhooks`, { url: 'https://receiver.example/' })

  expect(seen).toMatchObject([{ action: 'webhook.created', actor: 'administrator' }])
  expect(await actionsOf(appId)).toEqual(['webhook.created', 'app.created'])
})

// spec: administration/audit-autosaves
test('one actor’s saves of a draft leave one audit line in ten minutes; other actors, drafts and sends their own', async () => {
  const appId = await givenApp()
  const [draft, other] = [newId(), newId()]
  const save = async (id: string, actor: string) =>
    (await ask('PUT', `/apps/${appId}/campaigns/${id}`, bodies['replaceCampaignOfApp'], { 'x-admin-actor': actor })).status
  const lines = async () =>
    (await list(appId, '?action=campaign.')).items.map(({ action, actor, subject }) => [action, actor, subject['id']])
  const changed = (actor: string, id: string) => ['campaign.changed', actor, id]

  expect(await Promise.all(Array.from({ length: 8 }, () => save(draft, 'ann')))).toEqual(Array(8).fill(200))
  expect(await save(draft, 'ann')).toBe(200)
  expect(await lines()).toEqual([changed('ann', draft)])

  await save(draft, 'bob')
  await save(other, 'ann')
  await ask('POST', `/apps/${appId}/campaigns/${draft}/send`, undefined, { 'x-admin-actor': 'ann' })
  const four = [['campaign.sent', 'ann', draft], changed('ann', other), changed('bob', draft), changed('ann', draft)]
  expect(await lines()).toEqual(four)

  // A line cannot be made older, so one of the same save is written with an earlier time: it covers the ten minutes from it on, and no more.
  const late = newId()
  await sql`
    insert into audit (id, app_id, actor, action, subject, created_at)
    values (${newId()}, ${appId}, 'ann', 'campaign.changed', ${JSON.stringify({ id: late })}::jsonb, now() - interval '10 minutes')`.execute(
    db,
  )
  await save(late, 'ann')
  await save(late, 'ann')
  expect((await lines()).filter(([, , id]) => id === late)).toEqual([changed('ann', late), changed('ann', late)])
  expect(await db.selectFrom('audit_intents').selectAll().where('app_id', '=', appId).execute()).toEqual([])
})

// spec: administration/audit-actor
test('the audit names the operator whom the header x-admin-actor names, or `administrator` without it; a malformed header is refused', async () => {
  for (const actor of ['x'.repeat(129), 'änn', ''])
    expect(await ask('POST', '/apps', { name: 'Shop' }, { 'x-admin-actor': Buffer.from(actor).toString('latin1') })).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_body', details: [{ path: 'headers.x-admin-actor' }] } },
    })
  expect((await ask('GET', '/apps', undefined, { 'x-admin-actor': 'x'.repeat(129) })).status).toBe(422)

  const appId = String((await ask('POST', '/apps', { name: 'Shop' }, { 'x-admin-actor': 'Ann Miller <ann@shop.example>' })).body['id'])
  await ask('PATCH', `/apps/${appId}`, { name: 'Store' })
  expect((await list(appId)).items.map(({ actor }) => actor)).toEqual(['administrator', 'Ann Miller <ann@shop.example>'])
})

// spec: administration/audit-filters
test('the audit filters by action or its beginning, actor, id and time, and by several at once', async () => {
  const appId = await givenApp()
  const [one, other] = [newId(), newId()]
  const given = async (at: string, action: string, actor: string, subject: object) =>
    void (await sql`
      insert into audit (id, app_id, actor, action, subject, request_id, created_at)
      values (${newId()}, ${appId}, ${actor}, ${action}, ${JSON.stringify(subject)}::jsonb, ${at}, ${at}::timestamptz)`.execute(db))
  await given('2026-01-01T00:00:00Z', 'key.created', 'ann', { keyId: one })
  await given('2026-01-02T00:00:00Z', 'key.created', 'bob', { keyId: other })
  await given('2026-01-03T00:00:00Z', 'key.revoked', 'ann', { keyId: other })
  await given('2026-01-04T00:00:00Z', 'campaign.duplicated', 'ann', { id: newId(), of: one })
  await given('2026-01-05T00:00:00Z', 'keys.none', 'ann', {})
  const found = async (query: string) => (await list(appId, `?to=2026-02-01T00:00:00Z&${query}`)).items.map(({ requestId }) => requestId)
  const day = (...days: number[]) => days.map((n) => `2026-01-0${n}T00:00:00Z`)

  expect(await found('')).toEqual(day(5, 4, 3, 2, 1))
  expect(await found('action=key.created')).toEqual(day(2, 1))
  expect(await found('action=key.')).toEqual(day(3, 2, 1))
  expect(await found('actor=ann&action=key.')).toEqual(day(3, 1))
  expect(await found(`subjectId=${one}`)).toEqual(day(4, 1))
  expect(await found(`subjectId=${other}&actor=ann`)).toEqual(day(3))
  expect(await found('from=2026-01-02T00:00:00Z&action=key.created')).toEqual(day(2))
  expect((await list(appId, '?from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z')).items).toHaveLength(2)

  const paged: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list(appId, `?limit=1&actor=ann&action=key.&to=2026-02-01T00:00:00Z${cursor}`)
    paged.push(...page.items.map(({ requestId }) => requestId))
    cursor = page.nextCursor === null ? null : `&cursor=${page.nextCursor}`
  }
  expect(paged).toEqual(day(3, 1))
})

// spec: administration/audit-filters
test.each([
  ['action=key', 'action'],
  ['action=Key.created', 'action'],
  ['action=', 'action'],
  ['actor=', 'actor'],
  [`actor=${'x'.repeat(129)}`, 'actor'],
  ['subjectId=', 'subjectId'],
  ['from=yesterday', 'from'],
  ['to=2026-02-30T00:00:00Z', 'to'],
  ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ['limit=0', 'limit'],
  ['cursor=nonsense', 'cursor'],
  ['who=ann', 'who'],
])('a list of the audit with the query %s is refused, and the error names the parameter', async (query, name) => {
  expect(await list(await givenApp(), `?${query}`)).toMatchObject({ status: 422, path: name })
})

test('a search in the audit examines at most 10,000 lines a page, and the next goes on there', async () => {
  const appId = await givenApp()
  const id = newId()
  await sql`
    insert into audit (id, app_id, actor, action, subject, created_at)
    select lpad(to_hex(n), 24, '0'), ${appId}, 'bob', 'app.changed', case when n = 1 then ${JSON.stringify({ id })}::jsonb else '{}' end,
      now() - make_interval(secs => 20000 - n)
    from generate_series(1, 12000) as n`.execute(db)

  const first = await list(appId, `?subjectId=${id}`)
  const second = await list(appId, `?subjectId=${id}&cursor=${String(first.nextCursor)}`)

  expect(first).toMatchObject({ items: [], nextCursor: expect.any(String) })
  expect(second).toMatchObject({ items: [{ subject: { id } }], nextCursor: null })
})

// spec: administration/audit-kept
test('an audit line can never be changed, and only be deleted past a retention of at least 400 days', async () => {
  const appId = await givenApp()
  await sql`
    insert into audit (id, app_id, actor, action, subject, created_at)
    select lpad(to_hex(days + 100000), 24, '0'), ${appId}, 'ann', 'app.changed', jsonb_build_object('days', days), now() - make_interval(days => days)
    from unnest(array[399, 401, 500]) as days`.execute(db)
  const left = async () => (await linesOf(appId)).map(({ subject }) => subject['days'])

  await expect(sql`update audit set actor = 'eve' where app_id = ${appId}`.execute(db)).rejects.toThrow('neither change nor go')
  await expect(sql`delete from audit where app_id = ${appId}`.execute(db)).rejects.toThrow('neither change nor go')
  expect(await left()).toEqual([500, 401, 399, undefined])
  expect(await deleteOldAudit(db, 450)).toBe(1)
  expect(await deleteOldAudit(db, 400)).toBe(1)
  expect(await left()).toEqual([399, undefined])
})
