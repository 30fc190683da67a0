import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { mostImportErrors } from '@herald/contracts/import'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { eraseApp } from '../erase-app.ts'
import { keepImports } from './manage-import.ts'
import { crowdedRows, lotOf, many, openImports, phone, refusal } from '../testing/imports.ts'
import { openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const { bus } = dispatcher
const { start, reportOf, finish, importAll, register, contentOf } = openImports({ db, bus })

// spec: administration/import-exactly-once
test.each(['keep', 'update'] as const)('with %s it makes no difference where a file is cut into lots', async (onExisting) => {
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

// spec: administration/import-no-row
test('a CSV file with something but no row after its header is refused; a header alone is finished', async () => {
  const appId = newId()
  const { id } = await start(appId, { format: 'csv' })
  const header = { rows: [], firstRow: 1, header: ['platform', 'token'], headerEnd: 15 }
  await bus.call(calls.importLot, { appId, importId: id, lot: { ...lotOf([]), ...header, nextOffset: 17 } })
  expect(await refusal(finish(appId, id))).toMatchObject({ code: 'invalid_body' })
  expect(await reportOf(appId, id)).toMatchObject({ state: 'receiving', rows: 0 })
  await bus.call(calls.cancelImport, { appId, importId: id })

  const other = await start(appId, { format: 'csv' })
  await bus.call(calls.importLot, { appId, importId: other.id, lot: { ...lotOf([]), ...header, nextOffset: 15 } })
  expect(await finish(appId, other.id)).toMatchObject({ state: 'finished', rows: 0 })
})

// spec: administration/import-dry-run
test.each(['keep', 'update'] as const)(
  'with %s a dry run reports what the import then reports, and writes no device',
  async (onExisting) => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const appId = newId()
      await register(appId, 'token-1', { externalId: 'user-1' })
      await register(appId, 'token-2')
      await importAll(appId, [phone('token-3', { externalId: 'user-2', tags: Object.fromEntries(many(97, (n) => [`t${n}`, n])) })])
      await importAll(
        appId,
        many(97, (n) => phone(`crowd-${n}`, { externalId: 'user-3' })),
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
  },
)

test('a dry run of an import stores no external id, address or tag value, and deletes its rows', async () => {
  const appId = newId()
  const { id } = await start(appId, { dryRun: true })
  await bus.call(calls.importLot, {
    appId,
    importId: id,
    lot: lotOf(many(20, (n) => phone(`canary-token-${n}`, { externalId: `canary-user-${n}`, tags: { plan: 'canary-value' } }))),
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

describe('the lots (groups of rows) of an import', () => {
  // spec: administration/import-exactly-once, administration/import-data
  test('rows sent again, or from another place of the file, write nothing, and the answer says the right offset', async () => {
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

  test('a group of rows that is sent several times at once is written once', async () => {
    const appId = newId()
    const { id } = await start(appId)
    const lot = lotOf(many(50, (n) => phone(`token-${n}`, { externalId: `user-${n % 7}` })))

    const answers = await Promise.all(many(6, () => refusal(bus.call(calls.importLot, { appId, importId: id, lot }))))

    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1)
    expect(await reportOf(appId, id)).toMatchObject({ rows: 50, created: 50, offset: 500 })
    expect(await contentOf(appId)).toHaveLength(50)
  })

  test('an import counts the rows that the gateway rejected, and stores the first 10,000 errors', async () => {
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

describe('imports', () => {
  // spec: administration/import
  test('an app has only one import until that import has ended', async () => {
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

  test('an import of another app is not found', async () => {
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

  test('an import cannot be finished at an old offset after a further lot was written', async () => {
    const appId = newId()
    const { id } = await start(appId)
    await bus.call(calls.importLot, { appId, importId: id, lot: lotOf([phone('one')]) })

    expect(await refusal(bus.call(calls.finishImport, { appId, importId: id, offset: 0 }))).toMatchObject({ details: [{ path: 'offset' }] })
    expect(await bus.call(calls.finishImport, { appId, importId: id, offset: 10 })).toMatchObject({ state: 'finished', bytes: 10 })
  })

  // spec: administration/import-kept
  test('an import without data for a day is cancelled, and deleted with its errors 30 days after its end', async () => {
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
  test('an import is deleted with its app, and rows that come later write nothing', async () => {
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

  test('an import whose app is being erased writes no device', async () => {
    const appId = newId()
    const { id } = await start(appId)
    await db.insertInto('erased_apps').values({ app_id: appId }).execute()

    expect(await refusal(bus.call(calls.importLot, { appId, importId: id, lot: lotOf([phone('one')]) }))).toMatchObject({
      code: 'not_found',
    })
    expect(await contentOf(appId)).toEqual([])
  })

  test('imports are listed in pages, the newest first', async () => {
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
