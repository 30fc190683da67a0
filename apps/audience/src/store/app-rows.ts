import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * The tables from which `deleteOfApp` deletes, in an order that breaks no foreign key. Rows of other tables go with these or in `forgetApp`. Those of
 * `fan_outs` stay for FAN_OUT_RETENTION_DAYS, like those of settled sends.
 */
export const partsOfApp = [
  'batches',
  'send_turns',
  'badges',
  'activity_tokens',
  'activities',
  'circuits',
  'accepted_devices',
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

/** Gives the condition that a row belongs to an app. An announcement belongs to an app only when all its events are of that app. */
const isOf = (part: Part, appId: string) =>
  part === 'announcements'
    ? sql`not exists (select from jsonb_array_elements(body) as event where event ->> 'appId' <> ${appId})`
    : part === 'import_errors' || part === 'import_dry_rows'
      ? sql`import_id = any(array(select id from imports where app_id = ${appId}))`
      : sql`app_id = ${appId}`

/**
 * Tables without an id, whose rows a delete finds by `ctid`. No process may update these rows (`eraseApp` cancels imports before): a delete that
 * waited for an update would miss the new version, and count too few.
 */
const withoutId = new Set<Part>(['send_turns', 'cap_claims', 'device_days', 'import_errors', 'import_dry_rows'])
const keyOf = (part: Part) => {
  if (withoutId.has(part)) return sql`ctid`
  if (part === 'device_day_claims') return sql`app_id`
  if (part === 'activities') return sql`activity_id`
  return part === 'guarded_invalidations' || part === 'badges' || part === 'activity_tokens' ? sql`subscription_id` : sql`id`
}

/**
 * Deletes at most `limit` rows of an app from one table (all from `circuits` and `accepted_devices`), and answers how many. Together with a device it deletes the time of
 * the device's last push.
 */
export async function deleteOfApp(db: Db, part: Part, appId: string, limit: number): Promise<number> {
  const key = keyOf(part)
  // A delete by `ctid` might miss a circuit, because the finish of a batch may update the circuit meanwhile. An app has only a few circuits, and at
  // most 1,000 hosts, so all are deleted at once.
  const where =
    part === 'circuits' || part === 'accepted_devices'
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

/** Deletes what a deleted app has once and not by the row: who listens to its events, and that its devices' last notifications are known. */
export async function forgetApp(db: Db, appId: string): Promise<void> {
  await sql`delete from listeners where app_id = ${appId}`.execute(db)
  await sql`delete from notified_apps where app_id = ${appId}`.execute(db)
}
