import { mostCategories, type FrozenCategory, type SaveCategory } from '@herald/contracts/category'
import type { Presentation } from '@herald/contracts/send-fields'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

const shown = (db: Db, appId: string) =>
  db
    .selectFrom('categories')
    .select(['id', 'name', 'description', 'default', 'locked', 'presentation'])
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .where('app_id', '=', appId)

export const findCategory = (db: Db, appId: string, id: string) => shown(db, appId).where('id', '=', id).executeTakeFirst()
export type CategoryRow = NonNullable<Awaited<ReturnType<typeof findCategory>>>

/** Finds an app's categories in the order in which they were made. */
export const findCategories = (db: Db, appId: string): Promise<CategoryRow[]> =>
  shown(db, appId).orderBy('created_at').orderBy('id').limit(mostCategories).execute()

/** Finds what a send freezes of a category, and the presentation that lies under the send's own; undefined when the app has no such category. */
export async function findForSend(
  db: Db,
  appId: string,
  id: string,
): Promise<{ category: FrozenCategory; presentation: Presentation | null } | undefined> {
  const row = await findCategory(db, appId, id)
  return row && { category: { id, default: row.default, locked: row.locked }, presentation: row.presentation }
}

const columnsOf = ({ name, description, default: by, locked, presentation }: SaveCategory) => ({
  name,
  description: description ?? null,
  default: by,
  locked: locked ?? false,
  presentation: presentation ? JSON.stringify(presentation) : null,
})

/**
 * Makes other transactions that add categories to the app wait, and gives how many it has, by a statement of its own that sees rows committed before
 * the lock.
 */
export async function countForAdding(trx: Db, appId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`campaigns.categories ${appId}`}, 0))`.execute(trx)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from categories where app_id = ${appId}`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Writes a category. Gives false when the app has a category with this id, or was erased. */
export async function insertCategory(
  db: Db,
  { id, appId, category }: { id: string; appId: string; category: SaveCategory },
): Promise<boolean> {
  const row = await db
    .insertInto('categories')
    .values({ id, app_id: appId, ...columnsOf(category) })
    .onConflict((conflict) => conflict.columns(['app_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces a category. Sends that were asked for keep what they have frozen. Gives false when the category is unknown. */
export async function updateCategory(
  db: Db,
  { id, appId, category }: { id: string; appId: string; category: SaveCategory },
): Promise<boolean> {
  const row = await db
    .updateTable('categories')
    .set({ ...columnsOf(category), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('app_id', '=', appId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a category, unless a campaign that is scheduled, active, paused or under way names it. */
export async function removeCategory(db: Db, appId: string, id: string): Promise<'deleted' | 'unknown' | 'needed'> {
  const { rows } = await sql<{ known: boolean; deleted: boolean }>`
    with deleted as (
      delete from categories where app_id = ${appId} and id = ${id} and not exists (
        select from campaigns
        where app_id = ${appId} and category ->> 'id' = ${id} and category is not null
          and status in ('scheduled', 'active', 'sending', 'paused')
      )
      returning id
    )
    select exists (select from categories where app_id = ${appId} and id = ${id}) as known, exists (select from deleted) as deleted`.execute(
    db,
  )
  if (rows[0]?.deleted) return 'deleted'
  return rows[0]?.known ? 'needed' : 'unknown'
}

/** Finds the category of a campaign that a person may still leave (`findLeavable` of the contracts). */
export async function findLeavableCategory(db: Db, appId: string, campaignId: string, days: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select c.id from campaigns join categories c on c.app_id = campaigns.app_id and c.id = campaigns.category ->> 'id'
    where campaigns.id = ${campaignId} and campaigns.app_id = ${appId} and not c.locked
      and coalesce(campaigns.settled_at, campaigns.started_at, campaigns.created_at) > now() - ${days}::int * interval '1 day'`.execute(db)
  return rows[0]?.id
}
