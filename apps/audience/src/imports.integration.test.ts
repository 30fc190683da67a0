import * as calls from '@herald/contracts/calls/audience'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { mostImportErrors, StartImport, type ImportedDevice, type ImportLot } from '@herald/contracts/import'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { eraseApp } from './erase-app.ts'
import { keepImports } from './manage-import.ts'
import { registerSubscription } from './register-subscription.ts'
import { invalidateDead, patchSubscription } from './store/subscriptions.ts'
import { openAudience } from './testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const { bus } = dispatcher

const start = (appId: string, settings: Partial<StartImport> = {}) =>
  bus.call(calls.startImport, { appId, settings: StartImport.parse({ format: 'jsonl', ...settings }) })
const reportOf = async (appId: string, importId: string) => (await bus.call(calls.readImport, { appId, importId })).report
const finish = async (appId: string, importId: string) =>
  bus.call(calls.finishImport, { appId, importId, offset: (await reportOf(appId, importId)).offset })

/** A lot as the gateway makes one: ten bytes a row. */
const lotOf = (devices: ImportedDevice[], from = 0, change: Partial<ImportLot> = {}): ImportLot => ({
  offset: from * 10,
  nextOffset: (from + devices.length) * 10,
  firstRow: from + 1,
  rows: devices.map((device, index) => ({ row: from + index + 1, device })),
  rejected: [],
  warnings: {},
  columnOf: { externalId: 'customer', tags: 'labels' },
  ...change,
})

/** Imports devices, so many in a lot, and finishes. */
async function importAll(appId: string, devices: ImportedDevice[], settings: Partial<StartImport> = {}, perLot = 500) {
  const { id } = await start(appId, settings)
  for (let from = 0; from < devices.length; from += perLot)
    await bus.call(calls.importLot, { appId, importId: id, lot: lotOf(devices.slice(from, from + perLot), from) })
  return finish(appId, id)
}

const phone = (token: string, more: Partial<ImportedDevice> = {}): ImportedDevice =>
  ({ platform: 'android', token, ...more }) as ImportedDevice
const register = (appId: string, token: string, more: object = {}) =>
  registerSubscription({ db }, { appId, subscription: { platform: 'android', token, ...more } })
const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index))

/** All that an app has, without ids, in an order that does not depend on them. */
async function contentOf(appId: string) {
  const { rows } = await sql<Record<string, unknown>>`
    select s.address, s.platform, s.p256dh, s.auth, s.opted_in, s.session_count, s.last_session_at, s.app_version, s.os_version, s.device_model,
      s.created_at, s.last_active_at, s.registered_at, s.invalidated_at, s.token_version,
      u.external_id, u.tags, u.language, u.timezone, u.country, u.created_at as user_created_at, u.last_active_at as user_active_at, u.by_backend,
      (select count(*) from subscriptions o where o.user_id = u.id) as devices
    from users u left join subscriptions s on s.user_id = u.id where u.app_id = ${appId}
    order by s.address, u.external_id`.execute(db)
  return rows
}
const deviceAt = (appId: string, token: string) =>
  db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).where('address', '=', token).executeTakeFirstOrThrow()
const userNamed = (appId: string, externalId: string) =>
  db.selectFrom('users').selectAll().where('app_id', '=', appId).where('external_id', '=', externalId).executeTakeFirst()
const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (Fault.is(error) ? { code: error.code, details: error.details } : error),
  )

/** A generator of numbers below a bound, the same for a seed. */
function openRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** Rows about few devices and few people, so that they meet each other in every way. All of them say their times. */
function crowdedRows(seed: number, count: number): ImportedDevice[] {
  const random = openRandom(seed)
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()
  return many(count, () => {
    const created = random(100)
    return phone(`token-${random(25)}`, {
      ...(random(4) > 0 && { externalId: `person-${random(8)}` }),
      ...(random(2) > 0 && { tags: { [`tag-${random(4)}`]: random(5), shared: `by ${random(9)}` } }),
      ...(random(3) === 0 && { language: ['de', 'en', 'fr'][random(3)] ?? 'de' }),
      ...(random(3) === 0 && { country: ['DE', 'AT'][random(2)] ?? 'DE' }),
      ...(random(3) === 0 && { appVersion: `1.${random(9)}` }),
      ...(random(5) === 0 && { optedIn: false }),
      sessionCount: random(50),
      createdAt: day(created),
      lastActiveAt: day(created + random(100)),
    })
  })
}

// spec: administration/import-exactly-once
test.each(['keep', 'update'] as const)('with %s it makes no difference where lots are cut', async (onExisting) => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const rows = crowdedRows(seed, 60)
    const [whole, single, odd] = [newId(), newId(), newId()]

    const report = await importAll(whole, rows, { onExisting })
    const others = [await importAll(single, rows, { onExisting }, 1), await importAll(odd, rows, { onExisting }, 7)]

    const { created, updated, kept, rejected, optedOut, byPlatform } = report
    for (const other of others) expect([seed, other]).toMatchObject([seed, { created, updated, kept, rejected, optedOut, byPlatform }])
    const content = await contentOf(whole)
    expect([seed, await contentOf(single)]).toEqual([seed, content])
    expect([seed, await contentOf(odd)]).toEqual([seed, content])
    expect(created + updated + kept + rejected).toBe(60)
  }
})

// spec: administration/import-dry-run
test.each(['keep', 'update'] as const)('with %s the dry report is the real one, and no device is written', async (onExisting) => {
  for (let seed = 1; seed <= 4; seed += 1) {
    const appId = newId()
    await register(appId, 'token-1', { externalId: 'person-1' })
    await register(appId, 'token-2')
    await importAll(appId, [phone('token-3', { externalId: 'person-2', tags: Object.fromEntries(many(97, (n) => [`t${n}`, n])) })])
    await importAll(
      appId,
      many(97, (n) => phone(`crowd-${n}`, { externalId: 'person-3' })),
    )
    const before = await contentOf(appId)
    const rows = crowdedRows(seed, 120)

    const dry = await importAll(appId, rows, { onExisting, dryRun: true }, 9)

    expect(await contentOf(appId)).toEqual(before)
    const real = await importAll(appId, rows, { onExisting }, 11)
    const ofRun = { id: '', dryRun: false, createdAt: '', endedAt: '', rowsPerSecond: 0 }
    expect([seed, { ...dry, ...ofRun }]).toEqual([seed, { ...real, ...ofRun }])
    expect(Object.keys(real.byCode).length + real.created).toBeGreaterThan(1)
  }
})

test('what a dry run remembers names nobody and no address, and goes when it has ended', async () => {
  const appId = newId()
  const { id } = await start(appId, { dryRun: true })
  await bus.call(calls.importLot, {
    appId,
    importId: id,
    lot: lotOf(many(20, (n) => phone(`canary-token-${n}`, { externalId: `canary-person-${n}`, tags: { plan: 'canary-value' } }))),
  })

  const { rows } = await sql<{ text: string }>`select import_dry_rows::text as text from import_dry_rows where import_id = ${id}`.execute(
    db,
  )
  expect(rows).toHaveLength(40)
  expect(rows.filter(({ text }) => text.includes('canary'))).toEqual([])
  while (await keepImports({ db }));
  expect((await sql`select from import_dry_rows where import_id = ${id}`.execute(db)).rows).toHaveLength(40)

  await finish(appId, id)
  while (await keepImports({ db }));
  expect((await sql`select from import_dry_rows where import_id = ${id}`.execute(db)).rows).toEqual([])
})

describe('a lot', () => {
  // spec: administration/import-exactly-once, administration/import-data
  test('that comes again, or is of another place, writes nothing and hears the right offset', async () => {
    const appId = newId()
    const { id } = await start(appId)
    const lot = lotOf([phone('one', { externalId: 'ann' }), phone('two')])
    await bus.call(calls.importLot, { appId, importId: id, lot })
    const before = [await contentOf(appId), await reportOf(appId, id)]

    for (const again of [lot, lotOf([phone('three')], 5), lotOf([phone('four')], 1)])
      expect(await refusal(bus.call(calls.importLot, { appId, importId: id, lot: again }))).toEqual({
        code: 'invalid_state',
        details: [{ path: 'offset', message: 'must be 20' }],
      })

    expect([await contentOf(appId), await reportOf(appId, id)]).toEqual(before)
  })

  test('that comes several times at once is written once', async () => {
    const appId = newId()
    const { id } = await start(appId)
    const lot = lotOf(many(50, (n) => phone(`token-${n}`, { externalId: `person-${n % 7}` })))

    const answers = await Promise.all(many(6, () => refusal(bus.call(calls.importLot, { appId, importId: id, lot }))))

    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1)
    expect(await reportOf(appId, id)).toMatchObject({ rows: 50, created: 50, offset: 500 })
    expect(await contentOf(appId)).toHaveLength(50)
  })

  test('counts the rows that the gateway rejected, and keeps why, the first 10,000', async () => {
    const appId = newId()
    const { id } = await start(appId)
    await sql`update imports set error_count = ${mostImportErrors - 2} where id = ${id}`.execute(db)
    const wrong = (row: number, code: string) => ({ row, column: 'token', code, message: 'must be right' })
    const rejected = [wrong(1, 'invalid_field'), wrong(3, 'web_skipped'), wrong(4, 'bad_quotes'), wrong(5, 'invalid_field')]
    const lot = { ...lotOf([phone('two')]), nextOffset: 90, rejected, warnings: { timezone_without_name: 2 } }

    const report = await bus.call(calls.importLot, { appId, importId: id, lot })

    expect(report).toMatchObject({ rows: 5, created: 1, rejected: 4, byCode: { invalid_field: 2, web_skipped: 1, bad_quotes: 1 } })
    expect(report.warnings).toEqual({ timezone_without_name: 2 })
    expect(await bus.call(calls.listImportErrors, { appId, importId: id, limit: 1, after: 0 })).toEqual({
      items: [wrong(1, 'invalid_field')],
      nextCursor: '1',
    })
    expect(await bus.call(calls.listImportErrors, { appId, importId: id, limit: 9, after: 1 })).toEqual({
      items: [wrong(4, 'bad_quotes')],
      nextCursor: null,
    })
  })
})

describe('a device that is known', () => {
  // spec: administration/import-known-device
  test('is kept as it is, with its user, and so is a whole file that comes twice', async () => {
    const appId = newId()
    await register(appId, 'one', { externalId: 'ann', tags: { plan: 'pro' } })
    const rows = [
      phone('one', { externalId: 'bob', tags: { plan: 'free' }, optedIn: false, sessionCount: 99 }),
      ...many(30, (n) => phone(`new-${n}`, { externalId: `person-${n % 4}`, tags: { n } })),
    ]

    expect(await importAll(appId, rows)).toMatchObject({ rows: 31, created: 30, kept: 1, updated: 0, rejected: 0 })
    const before = await contentOf(appId)
    expect(await importAll(appId, rows)).toMatchObject({ rows: 31, created: 0, kept: 31 })

    expect(await contentOf(appId)).toEqual(before)
    expect(await deviceAt(appId, 'one')).toMatchObject({ opted_in: true, session_count: 1 })
    expect(await userNamed(appId, 'bob')).toBeUndefined()
  })

  test('with update goes to the user of its external id, by the identity rules', async () => {
    const appId = newId()
    const anonymous = await register(appId, 'anonymous', { tags: { plan: 'old', kept: true } })
    const ofAnn = await register(appId, 'of-ann', { externalId: 'ann' })
    const left = await register(appId, 'left')

    await importAll(
      appId,
      [
        phone('anonymous', { externalId: 'new', tags: { plan: 'new' }, appVersion: '2.0' }),
        phone('of-ann', { externalId: 'bob' }),
        phone('left', { externalId: 'ann' }),
      ],
      { onExisting: 'update' },
    )

    expect(await deviceAt(appId, 'anonymous')).toMatchObject({ user_id: anonymous.userId, app_version: '2.0', token_version: 1 })
    expect(await userNamed(appId, 'new')).toMatchObject({ id: anonymous.userId, tags: { plan: 'new', kept: true } })
    expect((await deviceAt(appId, 'of-ann')).user_id).toBe((await userNamed(appId, 'bob'))?.id)
    expect((await deviceAt(appId, 'left')).user_id).toBe(ofAnn.userId)
    expect(await db.selectFrom('users').select('id').where('id', '=', left.userId).execute()).toEqual([])
    expect(await userNamed(appId, 'ann')).toBeDefined()
  })

  // spec: administration/import-known-device, identity/reachable
  test('and opted out here stays out, whatever the file says, and a dead one stays dead, and no session is counted', async () => {
    const appId = newId()
    const out = await register(appId, 'out')
    await patchSubscription(db, { appId, subscriptionId: out.id, changes: { optedIn: false } })
    const dead = await register(appId, 'dead')
    await invalidateDead(db, [{ subscriptionId: dead.id, tokenVersion: 1, agoMs: -1000, deadSince: null }])
    await register(appId, 'in')
    const rows = [phone('out', { optedIn: true }), phone('dead', { optedIn: true }), phone('in', { optedIn: false })]

    for (const onExisting of ['keep', 'update'] as const) await importAll(appId, rows, { onExisting })

    expect(await deviceAt(appId, 'out')).toMatchObject({ opted_in: false, session_count: 1 })
    const invalidated = await deviceAt(appId, 'dead')
    expect(invalidated).toMatchObject({ token_version: 1, session_count: 1 })
    expect(invalidated.invalidated_at).not.toBeNull()
    expect(await deviceAt(appId, 'in')).toMatchObject({ opted_in: false })
  })
})

describe('a new device', () => {
  test('has the past that the file says, and counts as registered when it was last active', async () => {
    const appId = newId()
    const times = { createdAt: '2023-01-01T00:00:00.000Z', lastActiveAt: '2024-01-01T00:00:00.000Z' }
    await importAll(appId, [
      phone('known', { ...times, sessionCount: 7, externalId: 'ann' }),
      phone('unknown', { optedIn: false }),
      phone('ahead', { lastActiveAt: '2999-01-01T00:00:00.000Z' }),
    ])

    expect(await deviceAt(appId, 'known')).toMatchObject({
      created_at: new Date(times.createdAt),
      last_active_at: new Date(times.lastActiveAt),
      registered_at: new Date(times.lastActiveAt),
      session_count: 7,
      last_session_at: null,
      opted_in: true,
    })
    expect(await userNamed(appId, 'ann')).toMatchObject({
      created_at: new Date(times.createdAt),
      last_active_at: new Date(times.lastActiveAt),
    })
    expect(await deviceAt(appId, 'unknown')).toMatchObject({ registered_at: new Date(0), session_count: 0, opted_in: false })
    expect((await deviceAt(appId, 'ahead')).registered_at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  test('that its provider called dead before today is invalidated by that word', async () => {
    const appId = newId()
    await importAll(appId, [phone('one', { lastActiveAt: '2024-01-01T00:00:00.000Z' })])
    const { id } = await deviceAt(appId, 'one')

    const found = await invalidateDead(db, [{ subscriptionId: id, tokenVersion: 1, agoMs: 0, deadSince: '2024-06-01T00:00:00.000Z' }])

    expect(found).toHaveLength(1)
  })

  test('with keep adds to its user what is missing, and with update writes over what there is', async () => {
    const appId = newId()
    await register(appId, 'one', { externalId: 'ann', tags: { plan: 'pro' }, language: 'de' })
    const row = { externalId: 'ann', tags: { plan: 'old', since: 2019 }, language: 'fr', country: 'AT' }

    await importAll(appId, [phone('two', row)])
    expect(await userNamed(appId, 'ann')).toMatchObject({ tags: { plan: 'pro', since: 2019 }, language: 'de', country: 'AT' })

    await importAll(appId, [phone('three', row)], { onExisting: 'update' })
    expect(await userNamed(appId, 'ann')).toMatchObject({
      tags: { plan: 'old', since: 2019 },
      language: 'fr',
      country: 'AT',
      by_backend: true,
    })
  })

  // spec: administration/import-rejected, identity/device-limit, identity/tags
  test('is rejected as the 101st of its user, or with a 101st tag, in one lot or over several', async () => {
    const tags = (from: number, count: number) => Object.fromEntries(many(count, (n) => [`tag-${from + n}`, n]))
    const rows = [
      ...many(102, (n) => phone(`token-${n}`, { externalId: 'ann' })),
      phone('a', { externalId: 'bob', tags: tags(0, 60) }),
      phone('b', { externalId: 'bob', tags: tags(50, 60) }),
      phone('c', { externalId: 'bob', tags: tags(50, 50) }),
    ]
    for (const perLot of [500, 10]) {
      const appId = newId()
      const report = await importAll(appId, rows, {}, perLot)

      expect(report).toMatchObject({ created: 102, rejected: 3, byCode: { device_limit: 2, tag_limit: 1 } })
      const { items } = await bus.call(calls.listImportErrors, { appId, importId: report.id, limit: 10, after: 0 })
      expect(items.map(({ row, column, code }) => [row, column, code])).toEqual([
        [101, 'customer', 'device_limit'],
        [102, 'customer', 'device_limit'],
        [104, 'labels', 'tag_limit'],
      ])
    }
  })

  test('meets its own registration at the same moment, and there is one device and one user', async () => {
    const appId = newId()
    const rows = many(60, (n) => phone(`token-${n}`, { externalId: `person-${n % 20}`, tags: { imported: true } }))

    const [report] = await Promise.all([
      importAll(appId, rows, { onExisting: 'update' }, 20),
      ...rows.map((row) => bus.call(calls.registerSubscription, { appId, subscription: row })),
    ])

    expect(report).toMatchObject({ rows: 60, rejected: 0 })
    const content = await contentOf(appId)
    expect(content).toHaveLength(60)
    expect((await db.selectFrom('users').select('id').where('app_id', '=', appId).execute()).length).toBe(20)
  })
})

describe('an import', () => {
  // spec: administration/import
  test('is the only one of its app until it has ended', async () => {
    const appId = newId()
    const { id } = await start(appId)

    expect(await refusal(start(appId))).toMatchObject({ code: 'invalid_state' })
    expect(await refusal(start(newId()))).toBeUndefined()

    expect(await bus.call(calls.cancelImport, { appId, importId: id })).toMatchObject({ state: 'cancelled' })
    for (const call of [calls.cancelImport, calls.finishImport] as const)
      expect(await refusal(bus.call(call, { appId, importId: id, offset: 0 } as never))).toMatchObject({ code: 'invalid_state' })
    expect(await refusal(bus.call(calls.importLot, { appId, importId: id, lot: lotOf([phone('one')]) }))).toMatchObject({
      code: 'invalid_state',
    })
    expect(await refusal(start(appId))).toBeUndefined()
  })

  test('of another app is unknown', async () => {
    const [mine, other] = [newId(), newId()]
    const { id } = await start(other)

    for (const refused of [
      bus.call(calls.readImport, { appId: mine, importId: id }),
      bus.call(calls.importLot, { appId: mine, importId: id, lot: lotOf([phone('one')]) }),
      bus.call(calls.finishImport, { appId: mine, importId: id, offset: 0 }),
      bus.call(calls.cancelImport, { appId: mine, importId: id }),
      bus.call(calls.listImportErrors, { appId: mine, importId: id, limit: 1, after: 0 }),
    ])
      expect(await refusal(refused)).toMatchObject({ code: 'not_found' })
    expect((await bus.call(calls.listImports, { appId: mine, limit: 10 })).items).toEqual([])
  })

  test('is not finished behind the back of a lot that has moved it', async () => {
    const appId = newId()
    const { id } = await start(appId)
    await bus.call(calls.importLot, { appId, importId: id, lot: lotOf([phone('one')]) })

    expect(await refusal(bus.call(calls.finishImport, { appId, importId: id, offset: 0 }))).toMatchObject({ details: [{ path: 'offset' }] })
    expect(await bus.call(calls.finishImport, { appId, importId: id, offset: 10 })).toMatchObject({ state: 'finished', bytes: 10 })
  })

  // spec: administration/import-kept
  test('that got no data for a day is cancelled, and 30 days after its end it is forgotten, with its errors', async () => {
    const appId = newId()
    const { id } = await start(appId)
    const { id: younger } = await start(newId())
    await bus.call(calls.importLot, {
      appId,
      importId: id,
      lot: { ...lotOf([]), nextOffset: 5, rejected: [{ row: 1, column: null, code: 'bad_quotes', message: 'is wrong' }] },
    })
    await bus.call(calls.keepImportTail, { appId, importId: id, offset: 5, tail: Buffer.from('a secret').toString('base64') })
    await sql`update imports set last_data_at = now() - interval '23 hours' where id = ${younger}`.execute(db)
    await sql`update imports set last_data_at = now() - interval '25 hours' where id = ${id}`.execute(db)

    await keepImports({ db })
    expect(await bus.call(calls.readImport, { appId, importId: id })).toMatchObject({ report: { state: 'cancelled' }, tail: null })
    expect(await db.selectFrom('imports').select('state').where('id', '=', younger).execute()).toEqual([{ state: 'receiving' }])

    await sql`update imports set ended_at = now() - interval '29 days' where id = ${id}`.execute(db)
    await keepImports({ db })
    expect((await reportOf(appId, id)).id).toBe(id)
    await sql`update imports set ended_at = now() - interval '31 days' where id = ${id}`.execute(db)
    await until(async () => !(await keepImports({ db })) && (await refusal(reportOf(appId, id))) !== undefined)
    expect(await db.selectFrom('import_errors').selectAll().where('import_id', '=', id).execute()).toEqual([])
  })

  // spec: administration/delete-app
  test('goes with its app, and a lot that comes late writes nothing', async () => {
    const appId = newId()
    await importAll(appId, [phone('one')], { dryRun: true })
    const { id } = await start(appId)
    const rejected = [{ row: 2, column: null, code: 'bad_quotes', message: 'is wrong' }]
    await bus.call(calls.importLot, { appId, importId: id, lot: { ...lotOf([phone('two')]), nextOffset: 20, rejected } })

    while (!(await eraseApp({ db }, { appId })).done);

    expect(await refusal(bus.call(calls.importLot, { appId, importId: id, lot: lotOf([phone('three')], 2) }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(start(appId))).toMatchObject({ code: 'not_found' })
    expect(await contentOf(appId)).toEqual([])
    const { rows } =
      await sql`select from imports where app_id = ${appId} union all select from import_errors where import_id = ${id}`.execute(db)
    expect(rows).toEqual([])
  })

  test('whose app was erased midway writes no device', async () => {
    const appId = newId()
    const { id } = await start(appId)
    await db.insertInto('erased_apps').values({ app_id: appId }).execute()

    expect(await refusal(bus.call(calls.importLot, { appId, importId: id, lot: lotOf([phone('one')]) }))).toMatchObject({
      code: 'not_found',
    })
    expect(await contentOf(appId)).toEqual([])
  })

  test('lists are newest first, in pages', async () => {
    const appId = newId()
    const ids = []
    for (let n = 0; n < 5; n += 1) ids.push((await importAll(appId, [phone(`token-${n}`)])).id)

    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await bus.call(calls.listImports, { appId, limit: 2, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)

    expect(seen).toEqual(ids.toReversed())
  })
})
