import { sql, type Kysely } from 'kysely'
import type { Page } from '../../core/page.ts'
import { newestFirst } from '../../store/newest-first.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/** A draft as lists show it. `revision` counts its saves. */
export type ListedDraft = { id: string; name: string | null; revision: number; savedBy: string; createdAt: string; updatedAt: string }

export type NewDraft = { appId: string; id: string; draft: string; name: string | null; savedBy: string }

const columns = ['id', 'name', 'revision', 'saved_by', 'created_at', 'updated_at'] as const

/** Inserts a draft; undefined when there is one with this id. */
export async function insertDraft(db: Db, { appId, savedBy, ...draft }: NewDraft): Promise<ListedDraft | undefined> {
  const row = await db
    .insertInto('drafts')
    .values({ ...draft, app_id: appId, saved_by: savedBy })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
  return row && toListed(row)
}

/** Replaces a draft that still has this revision; undefined when it has another one, or is gone. */
export async function updateDraft(
  db: Db,
  { appId, id, draft, name, savedBy }: NewDraft,
  revision: number,
): Promise<ListedDraft | undefined> {
  const row = await db
    .updateTable('drafts')
    .set({ draft, name, saved_by: savedBy, revision: revision + 1, updated_at: sql<Date>`now()` })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .returning(columns)
    .executeTakeFirst()
  return row && toListed(row)
}

export async function findDraft(db: Db, appId: string, id: string): Promise<(ListedDraft & { draft: string }) | undefined> {
  const row = await db
    .selectFrom('drafts')
    .select([...columns, 'draft'])
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...toListed(row), draft: row.draft }
}

/** Finds the drafts of a page, or with `id` the one draft that has this id. */
export async function findDrafts(
  db: Db,
  appId: string,
  page: Page,
  id?: string,
): Promise<{ id: string; createdAt: Date; draft: ListedDraft }[]> {
  const ofApp = db.selectFrom('drafts').where('app_id', '=', appId)
  const rows = await newestFirst(id === undefined ? ofApp : ofApp.where('id', '=', id), page, { id: 'id', createdAt: 'created_at' })
    .select(columns)
    .execute()
  return rows.map((row) => ({ id: row.id, createdAt: row.created_at, draft: toListed(row) }))
}

/** Counts the drafts of an app. The caller holds their adding. */
export async function countDrafts(db: Db, appId: string): Promise<number> {
  const { count } = await db
    .selectFrom('drafts')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes the drafts of an app that nobody has saved for this many days. */
export const deleteOldDrafts = (db: Db, appId: string, days: number): Promise<unknown> =>
  db
    .deleteFrom('drafts')
    .where('app_id', '=', appId)
    .where('updated_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .execute()

/** Deletes a draft; gives false when there is none with this id. */
export async function deleteDraft(db: Db, appId: string, id: string): Promise<boolean> {
  const deleted = await db.deleteFrom('drafts').where('app_id', '=', appId).where('id', '=', id).returning('id').executeTakeFirst()
  return deleted !== undefined
}

type Row = { id: string; name: string | null; revision: number; saved_by: string; created_at: Date; updated_at: Date }

const toListed = ({ id, name, revision, saved_by, created_at, updated_at }: Row): ListedDraft => ({
  id,
  name,
  revision,
  savedBy: saved_by,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString(),
})
