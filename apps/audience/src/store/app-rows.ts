import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** What belongs to an app, in an order in which nothing refers to what is gone. */
export const partsOfApp = [
  'batches',
  'circuits',
  'guarded_invalidations',
  'cap_claims',
  'segments',
  'announcements',
  'device_days',
  'device_day_claims',
  'import_errors',
  'import_dry_rows',
  'imports',
  'subscriptions',
  'users',
] as const
type Part = (typeof partsOfApp)[number]

/** An announcement may tell of several apps: it goes when it tells of no other. */
const isOf = (part: Part, appId: string) =>
  part === 'announcements'
    ? sql`not exists (select from jsonb_array_elements(body) as event where event ->> 'appId' <> ${appId})`
    : part === 'import_errors' || part === 'import_dry_rows'
      ? sql`import_id = any(array(select id from imports where app_id = ${appId}))`
      : sql`app_id = ${appId}`

/**
 * By what a row is found again. Never by its place (`ctid`) where rows are updated: a delete that waited for an update finds the row at
 * another place and leaves it, while the caller is told that nothing is left. Rows of imports are written no more: these are cancelled first.
 */
const withoutId = new Set<Part>(['cap_claims', 'device_days', 'import_errors', 'import_dry_rows'])
const keyOf = (part: Part) => {
  if (withoutId.has(part)) return sql`ctid`
  if (part === 'device_day_claims') return sql`app_id`
  return part === 'guarded_invalidations' ? sql`subscription_id` : sql`id`
}

/** Deletes at most so many rows of an app; answers how many. A device goes with the note of when it was last sent to. */
export async function deleteOfApp(db: Db, part: Part, appId: string, limit: number): Promise<number> {
  const key = keyOf(part)
  // A handful, and updated by every finish: all of them at once.
  const where =
    part === 'circuits'
      ? isOf(part, appId)
      : sql`${key} = any(array(select ${key} from ${sql.table(part)} where ${isOf(part, appId)} limit ${limit}))`
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from ${sql.table(part)} where ${where}
      returning ${part === 'subscriptions' ? sql`id` : sql`null::text as id`}
    ), notes as (delete from last_notified using gone where subscription_id = gone.id)
    select count(*) as deleted from gone`.execute(db)
  return rows[0]?.deleted ?? 0
}
