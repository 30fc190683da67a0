import {
  leftOut,
  mostImportErrors,
  skippedBrowser,
  type ImportError,
  type ImportLot,
  type ImportReport,
  type StartImport,
} from '@herald/contracts/import'
import { listed, readCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import { sql, type Selectable } from 'kysely'
import type { RowOutcome } from '../core/import-lot.ts'
import type { Db, ImportTable } from '../../store/tables.ts'

type Row = Selectable<ImportTable>

/** An import. `report`: how far it has come. `errorCount`: how many of its errors are stored. */
export type ImportRecord = {
  appId: string
  report: ImportReport
  /** The names of the file's columns, which the gateway needs to go on reading. */
  header: string[] | null
  /** The offset just after a CSV file's header. */
  headerEnd: number | null
  /** The bytes after the last complete row, which the gateway needs to go on reading. */
  tail: Buffer | null
  errorCount: number
}

const toRecord = (row: Row): ImportRecord => ({
  appId: row.app_id,
  report: toReport(row),
  header: row.header,
  headerEnd: row.header_end,
  tail: row.tail,
  errorCount: row.error_count,
})

/** Inserts an import. Gives undefined when the app has another import in the state `receiving`, or was erased. */
export async function insertImport(db: Db, id: string, appId: string, settings: StartImport): Promise<ImportReport | undefined> {
  const row = await db
    .insertInto('imports')
    .values({
      id,
      app_id: appId,
      format: settings.format,
      dry_run: settings.dryRun,
      has_dry_rows: settings.dryRun,
      on_existing: settings.onExisting,
      web: settings.web,
      columns: settings.columns === undefined ? null : JSON.stringify(settings.columns),
      assume_opted_in: settings.assumeOptedIn,
      max_rows_per_second: settings.maxRowsPerSecond ?? null,
      header: null,
      tail: null,
      first_data_at: null,
      ended_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row && toReport(row)
}

export const findReceiving = (db: Db, appId: string): Promise<{ id: string } | undefined> =>
  db.selectFrom('imports').select('id').where('app_id', '=', appId).where('state', '=', 'receiving').executeTakeFirst()

export async function findImport(db: Db, appId: string, id: string): Promise<ImportRecord | undefined> {
  const row = await db.selectFrom('imports').selectAll().where('id', '=', id).where('app_id', '=', appId).executeTakeFirst()
  return row && toRecord(row)
}

/** Locks an import, so that its lots (groups of rows) are written one after another. `now`: the database's time. */
export async function lockImport(db: Db, appId: string, id: string): Promise<(ImportRecord & { now: Date }) | undefined> {
  const row = await db
    .selectFrom('imports')
    .selectAll()
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', id)
    .where('app_id', '=', appId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row && { ...toRecord(row), now: row.now }
}

/**
 * Moves a locked import to the end of a lot (group of rows), counts the outcomes and stores errors, at most 10,000 for an import. A browser that is
 * skipped (`web: skip`) is no error.
 */
export async function moveImport(
  db: Db,
  { report, errorCount }: ImportRecord,
  lot: ImportLot,
  outcomes: RowOutcome[],
): Promise<ImportReport> {
  const refused = outcomes.flatMap((outcome) =>
    outcome.is === 'rejected' ? [{ row: outcome.row, column: lot.columnOf[outcome.at], code: outcome.code, message: outcome.message }] : [],
  )
  const rejected = [...lot.rejected, ...refused]
  const errors = rejected
    .filter(({ code }) => code !== skippedBrowser)
    .toSorted((one, other) => one.row - other.row)
    .slice(0, Math.max(0, mostImportErrors - errorCount))
  if (errors.length > 0)
    await sql`
      insert into import_errors (import_id, "row", "column", code, message)
      select ${report.id}, "row", "column", code, message
      from json_to_recordset(${JSON.stringify(errors)}) as given("row" bigint, "column" text, code text, message text)`.execute(db)

  const byCode = { ...report.byCode }
  for (const { code } of rejected) byCode[code] = (byCode[code] ?? 0) + 1
  const warnings = { ...report.warnings }
  for (const [code, count] of Object.entries(lot.warnings)) warnings[code] = (warnings[code] ?? 0) + count
  const withoutTags = outcomes.filter((outcome) => outcome.is !== 'rejected' && outcome.leftOutTags).length
  const noTags = leftOut(lot.columnOf.tags ?? 'tags')
  if (withoutTags > 0) warnings[noTags] = (warnings[noTags] ?? 0) + withoutTags
  const byPlatform = { ...report.byPlatform }
  const counts = { created: 0, updated: 0, kept: 0, optedOut: 0 }
  for (const outcome of outcomes) {
    if (outcome.is === 'rejected') continue
    counts[outcome.is] += 1
    byPlatform[outcome.platform] += 1
    if (outcome.optedOut && outcome.is !== 'kept') counts.optedOut += 1
  }
  const row = await db
    .updateTable('imports')
    .set({
      next_offset: lot.nextOffset,
      tail: null,
      ...(lot.header === undefined ? {} : { header: JSON.stringify(lot.header), header_end: lot.headerEnd ?? null }),
      row_count: report.rows + lot.rows.length + lot.rejected.length,
      created_count: report.created + counts.created,
      updated_count: report.updated + counts.updated,
      kept_count: report.kept + counts.kept,
      rejected_count: report.rejected + rejected.length,
      opted_out_count: report.optedOut + counts.optedOut,
      error_count: errorCount + errors.length,
      by_code: JSON.stringify(byCode),
      by_platform: JSON.stringify(byPlatform),
      warnings: JSON.stringify(warnings),
      first_data_at: sql<Date>`coalesce(first_data_at, now())`,
      last_data_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', report.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toReport(row)
}

export const keepTail = async (db: Db, id: string, tail: Buffer): Promise<ImportReport> =>
  toReport(
    await db
      .updateTable('imports')
      .set({ tail, last_data_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )

export const endImport = async (db: Db, id: string, state: 'finished' | 'cancelled'): Promise<ImportReport> =>
  toReport(
    await db
      .updateTable('imports')
      .set({ state, tail: null, ended_at: sql<Date>`now()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )

/** Cancels the import of an app that is being erased. If another transaction is writing rows of the import, this statement waits for its end. */
export const cancelImportsOf = (db: Db, appId: string) =>
  sql`update imports set state = 'cancelled', tail = null, ended_at = now() where app_id = ${appId} and state = 'receiving'`.execute(db)

/** Gives a page of an app's imports, newest first. */
export async function listImports(
  db: Db,
  { appId, limit, cursor }: { appId: string } & Pick<ListRequest, 'limit' | 'cursor'>,
): Promise<Listed<ImportReport>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const rows = await db
    .selectFrom('imports')
    .selectAll()
    .where('app_id', '=', appId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${after?.createdAt}::timestamptz, ${after?.id}::text)`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return listed(
    rows.map((row) => ({ ...row, createdAt: row.created_at })),
    limit,
    toReport,
  )
}

/** Gives a page of an import's errors in the order of the file's rows, beginning after the row `after`. */
export async function listImportErrors(
  db: Db,
  importId: string,
  { limit, after }: { limit: number; after: number },
): Promise<{ items: ImportError[]; nextCursor: string | null }> {
  const rows = await db
    .selectFrom('import_errors')
    .select(['row', 'column', 'code', 'message'])
    .where('import_id', '=', importId)
    .where('row', '>', after)
    .orderBy('row')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? String(items.at(-1)?.row) : null }
}

const toReport = (row: Row): ImportReport => ({
  id: row.id,
  state: row.state,
  format: row.format,
  dryRun: row.dry_run,
  onExisting: row.on_existing,
  web: row.web,
  columns: row.columns,
  assumeOptedIn: row.assume_opted_in,
  maxRowsPerSecond: row.max_rows_per_second,
  offset: row.next_offset,
  rows: row.row_count,
  bytes: row.next_offset,
  created: row.created_count,
  updated: row.updated_count,
  kept: row.kept_count,
  rejected: row.rejected_count,
  byCode: row.by_code,
  byPlatform: row.by_platform,
  optedOut: row.opted_out_count,
  warnings: row.warnings,
  rowsPerSecond: rateOf(row),
  createdAt: row.created_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
})

function rateOf({ row_count: rows, first_data_at: from, last_data_at: to }: Row): number | null {
  if (rows === 0 || from === null) return null
  return Math.round((rows * 1000) / Math.max(1, to.getTime() - from.getTime()))
}

/** An import that got no data for `silentFor` is cancelled. An import is deleted `keptFor` after it ended. */
const silentFor = sql`interval '24 hours'`
const keptFor = sql`interval '30 days'`
/** One statement deletes at most this many rows of dry runs. */
const rowsAtOnce = 5_000

/** Cancels imports that got no data for a day. */
export const cancelLeftAlone = (db: Db) =>
  sql`
    update imports set state = 'cancelled', tail = null, ended_at = now()
    where state = 'receiving' and last_data_at < now() - ${silentFor}`.execute(db)

/** Deletes at most 5,000 rows of dry runs that have ended. Answers whether there may be more. */
export async function clearDryRuns(db: Db): Promise<boolean> {
  const ended = await db.selectFrom('imports').select('id').where('has_dry_rows', '=', true).where('state', '<>', 'receiving').execute()
  if (ended.length === 0) return false
  const ids = ended.map(({ id }) => id)
  const { numAffectedRows = 0n } = await sql`
    delete from import_dry_rows where ctid = any(array(
      select ctid from import_dry_rows where import_id = any(${ids}::text[]) limit ${sql.lit(rowsAtOnce)}))`.execute(db)
  if (numAffectedRows === 0n) await db.updateTable('imports').set({ has_dry_rows: false }).where('id', 'in', ids).execute()
  return numAffectedRows > 0n
}

/** Deletes at most two imports that ended more than 30 days ago, with their errors. Answers whether there may be more. */
export async function purgeImports(db: Db): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from imports where id = any(array(
      select id from imports where ended_at < now() - ${keptFor} and not has_dry_rows order by ended_at limit 2))`.execute(db)
  return numAffectedRows > 0n
}
