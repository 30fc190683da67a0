import { notFound } from '@herald/contracts/fault'
import { readCursor, writeCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import type { SavedSegment, SaveSegment } from '@herald/contracts/saved-segment'
import { sql, type Selectable } from 'kysely'
import type { Db, SegmentTable } from '../../store/tables.ts'

type OfApp = { appId: string; segmentId: string }
type Row = Selectable<SegmentTable>

/**
 * A page of the list of segments has at most this many bytes (spec: limits/list-bytes). A page may hold a single segment, because a segment alone may
 * have nearly as many bytes.
 */
const largestList = 524_288

/** Finds the definition of a saved segment. Null when the app has no such segment. */
export async function findSegment(db: Db, { appId, segmentId }: OfApp): Promise<{ definition: unknown } | null> {
  const row = await db
    .selectFrom('segments')
    .select('definition')
    .where('id', '=', segmentId)
    .where('app_id', '=', appId)
    .executeTakeFirst()
  return row ?? null
}

/** Reads a saved segment of an app. Fault: `not_found`. */
export async function getSegment(db: Db, { appId, segmentId }: OfApp): Promise<SavedSegment> {
  const row = await db.selectFrom('segments').selectAll().where('id', '=', segmentId).where('app_id', '=', appId).executeTakeFirst()
  if (!row) throw notFound()
  return toSegment(row)
}

/** An app has at most this many saved segments (spec: limits/kept-things). */
export const mostSegments = 1_000

/**
 * Says whether the app may add a segment. A lock makes others that add one wait until the transaction ends. The count is a separate statement, so
 * that it sees their rows.
 */
export async function hasRoomForSegment(trx: Db, appId: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audience.segments ${appId}`}, 0))`.execute(trx)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from segments where app_id = ${appId} limit ${sql.lit(mostSegments)}) as kept`.execute(trx)
  return (rows[0]?.count ?? 0) < mostSegments
}

/** Saves a new segment. Fault: `not_found` (the app was erased). */
export async function insertSegment(
  db: Db,
  { id, appId, segment }: { id: string; appId: string; segment: SaveSegment },
): Promise<SavedSegment> {
  const row = await db
    .insertInto('segments')
    .values({ id, app_id: appId, ...written(segment), last_count: null, last_counted_at: null })
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  return toSegment(row)
}

/** Replaces a segment and clears its count, which belongs to the old definition. Undefined when the app has no such segment. */
export async function updateSegment(
  db: Db,
  { appId, segmentId, segment }: OfApp & { segment: SaveSegment },
): Promise<SavedSegment | undefined> {
  const row = await db
    .updateTable('segments')
    .set({ ...written(segment), last_count: null, last_counted_at: null, updated_at: sql<Date>`now()` })
    .where('id', '=', segmentId)
    .where('app_id', '=', appId)
    .returningAll()
    .executeTakeFirst()
  return row && toSegment(row)
}

/** Deletes a segment. Fault: `not_found`. */
export async function deleteSegment(db: Db, { appId, segmentId }: OfApp): Promise<Record<string, never>> {
  const { numDeletedRows } = await db
    .deleteFrom('segments')
    .where('id', '=', segmentId)
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw notFound()
  return {}
}

/** Stores the count of a segment, unless the segment was given another definition than the counted one (`definition`) meanwhile. */
export const keepCount = (db: Db, segmentId: string, definition: unknown, count: number) =>
  db
    .updateTable('segments')
    .set({ last_count: count, last_counted_at: sql<Date>`now()` })
    .where('id', '=', segmentId)
    .where(sql<boolean>`definition::text = ${JSON.stringify(definition)}`)
    .execute()

const mostExamined = 5_000

/**
 * Gives a page of an app's segments, newest first, whose names contain `q` in any letter case. It looks at 5,000 and ends a page at 512 KiB, so a
 * page may be short. Fault: `invalid_body` at `cursor`.
 */
export async function listSegments(db: Db, { appId, limit, cursor, q }: ListRequest & { appId: string }): Promise<Listed<SavedSegment>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const { rows: named } = await sql<{ ids: string[]; examined: number; id: string; createdAt: Date }>`
    with examined as materialized (
      select id, created_at, folded_name from segments
      where app_id = ${appId} ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``}
      order by created_at desc, id desc limit ${mostExamined}
    )
    select id, created_at as "createdAt", (select count(*)::int from examined) as examined, array(
      select id from examined where position(${fold(q ?? '')} in folded_name) > 0 order by created_at desc, id desc limit ${limit + 1}
    ) as ids
    from examined order by created_at, id limit 1`.execute(db)
  const [examinedTo] = named
  const { rows } = await sql<Row & { inPage: number }>`
    select * from (
      select *, count(*) over () as "inPage", row_number() over newest as place, sum(
        octet_length(definition::text) + octet_length(name) + octet_length(coalesce(description, '')) + 300
      ) over newest as bytes
      from segments where id = any(${examinedTo?.ids ?? []}::text[])
      window newest as (order by created_at desc, id desc)
    ) as measured
    where place = 1 or (place <= ${limit} and bytes <= ${largestList})
    order by place`.execute(db)
  const last = rows.at(-1)
  const isMore = last !== undefined && rows.length < last.inPage
  const next = isMore ? { createdAt: last.created_at, id: last.id } : examinedTo?.examined === mostExamined ? examinedTo : undefined
  return { items: rows.map(toSegment), nextCursor: next ? writeCursor(next) : null }
}

/** Gives a name in lower case. This is not done in Postgres, whose `lower` treats letters other than a to z by the database's locale. */
const fold = (name: string): string => name.toLowerCase()

const written = ({ name, description, definition }: SaveSegment) => ({
  name,
  folded_name: fold(name),
  description: description ?? null,
  definition: JSON.stringify(definition),
})

const toSegment = (row: Row): SavedSegment => ({
  id: row.id,
  name: row.name,
  description: row.description,
  definition: row.definition,
  lastCount: row.last_count,
  lastCountedAt: row.last_counted_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
