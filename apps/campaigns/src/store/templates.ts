import type { Place } from '@herald/contracts/page'
import type { SaveTemplate } from '@herald/contracts/template'
import { sql } from 'kysely'
import type { TemplateDefaults } from '../core/overrides.ts'
import type { Db } from './tables.ts'

/** Finds the fields that a template gives to a send; undefined when the app has no such template. */
export async function findTemplateDefaults(db: Db, appId: string, templateId: string): Promise<TemplateDefaults | undefined> {
  return db
    .selectFrom('templates')
    .select(['content', 'data', 'presentation', 'overrides', 'ttl', 'collapse_id as collapseId', 'priority', 'silent', 'category'])
    .select('send_rate as perMinute')
    .where('id', '=', templateId)
    .where('app_id', '=', appId)
    .executeTakeFirst()
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** Gives every column that the body of a template sets. A field that the body leaves out is null. */
const columnsOf = ({
  name,
  description,
  content,
  data,
  presentation,
  overrides,
  ttl,
  collapseId,
  priority,
  silent,
  category,
  sendRate,
}: SaveTemplate) => ({
  name,
  description: description ?? null,
  content: JSON.stringify(content),
  data: jsonOrNull(data),
  presentation: jsonOrNull(presentation),
  overrides: jsonOrNull(overrides),
  ttl: ttl ?? null,
  collapse_id: collapseId ?? null,
  priority: priority ?? null,
  silent: silent ?? null,
  category: category ?? null,
  send_rate: sendRate?.perMinute ?? null,
})

/** Writes a template. Gives false when the app has a template of that name, or was erased. */
export async function insertTemplate(
  db: Db,
  { id, appId, template }: { id: string; appId: string; template: SaveTemplate },
): Promise<boolean> {
  const row = await db
    .insertInto('templates')
    .values({ id, app_id: appId, ...columnsOf(template) })
    .onConflict((conflict) => conflict.columns(['app_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces a template, and says when it is unknown or its new name is taken. */
export async function replaceTemplate(
  db: Db,
  { id, appId, template }: { id: string; appId: string; template: SaveTemplate },
): Promise<'replaced' | 'unknown' | 'name taken'> {
  try {
    const row = await db
      .updateTable('templates')
      .set({ ...columnsOf(template), updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('app_id', '=', appId)
      .returning('id')
      .executeTakeFirst()
    return row ? 'replaced' : 'unknown'
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '23505') return 'name taken'
    throw error
  }
}

/** Deletes a template. Gives false when the template is unknown. */
export async function deleteTemplate(db: Db, appId: string, id: string): Promise<boolean> {
  const row = await db.deleteFrom('templates').where('id', '=', id).where('app_id', '=', appId).returning('id').executeTakeFirst()
  return row !== undefined
}

/** Selects an app's templates with their use counts: the uses that are added up, and those that are still rows of `template_uses`. */
const shown = (db: Db, appId: string) =>
  db
    .selectFrom('templates')
    .select(['id', 'name', 'description', 'content', 'data', 'presentation', 'overrides', 'ttl', 'priority', 'silent', 'category'])
    .select(['collapse_id as collapseId', 'send_rate as perMinute', 'created_at as createdAt', 'updated_at as updatedAt'])
    .select(
      sql<number>`use_count + coalesce((select sum(uses) from template_uses where template_uses.template_id = templates.id), 0)::bigint`.as(
        'useCount',
      ),
    )
    .where('app_id', '=', appId)

export const findTemplate = (db: Db, appId: string, id: string) => shown(db, appId).where('id', '=', id).executeTakeFirst()
export type TemplateRow = NonNullable<Awaited<ReturnType<typeof findTemplate>>>

/** A page of a list with a part of a name examines at most this many templates. */
const mostExamined = 5_000

/**
 * Finds up to one template more than `limit`, newest first; with `inName` (any letter case) among the next 5,000. A row beyond `limit` shows a next
 * page; otherwise it begins at `examinedTo`, undefined when none is left.
 */
export async function findTemplates(
  db: Db,
  appId: string,
  { limit, after, inName }: { limit: number; after: Place | undefined; inName: string | undefined },
): Promise<{ rows: TemplateRow[]; examinedTo: Place | undefined }> {
  const newest = shown(db, appId).orderBy('created_at', 'desc').orderBy('id', 'desc')
  if (inName !== undefined) {
    const { ids, examinedTo } = await findNamed(db, appId, { limit, after, inName })
    // The query finds templates by id and has no limit: with a limit the planner may walk through all templates of the app in search of the ids.
    return { rows: await newest.where('id', '=', sql<string>`any(${ids})`).execute(), examinedTo }
  }
  const rows = await newest
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (${after?.createdAt}::timestamptz, ${after?.id})`))
    .limit(limit + 1)
    .execute()
  return { rows, examinedTo: undefined }
}

async function findNamed(
  db: Db,
  appId: string,
  { limit, after, inName }: { limit: number; after: Place | undefined; inName: string },
): Promise<{ ids: string[]; examinedTo: Place | undefined }> {
  const { rows } = await sql<{ ids: string[]; examined: number; id: string; createdAt: Date }>`
    with examined as materialized (
      select id, created_at, name from templates
      where app_id = ${appId} ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``}
      order by created_at desc, id desc limit ${mostExamined}
    )
    select id, created_at as "createdAt", (select count(*)::int from examined) as examined, array(
      select id from examined where position(lower(${inName}) in lower(name)) > 0 order by created_at desc, id desc limit ${limit + 1}
    ) as ids
    from examined order by created_at, id limit 1`.execute(db)
  const [last] = rows
  return { ids: last?.ids ?? [], examinedTo: last?.examined === mostExamined ? { id: last.id, createdAt: last.createdAt } : undefined }
}

/** Adds rows of `template_uses` up into use counts, at most 10,000 at once, and gives how many rows. Several processes take different rows. */
export async function addUpUses(db: Db): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with oldest as materialized (
      select id, template_id from template_uses order by id limit 10000 for update skip locked
    ), locked as materialized (
      select id from templates where id = any(array(select distinct template_id from oldest)) order by id for no key update skip locked
    ), held as materialized (
      select id from templates where id = any(array(select distinct template_id from oldest)) and id <> all(array(select id from locked)) order by id
    ), taken as (
      delete from template_uses
      where id = any(array(select id from oldest where template_id <> all(array(select id from held))))
      returning template_id, uses
    ), summed as (
      select template_id, sum(uses) as uses from taken group by template_id
    ), added as (
      update templates set use_count = use_count + summed.uses from summed
      where templates.id = any(array(select id from locked)) and templates.id = summed.template_id
    )
    select count(*)::int as taken from taken`.execute(db)
  return rows[0]?.taken ?? 0
}
