import type { SaveTemplate } from '@herald/contracts/template'
import { sql } from 'kysely'
import type { TemplateDefaults } from '../core/overrides.ts'
import type { Db } from './tables.ts'

/** What a template of this app brings to a send, or undefined. */
export async function findTemplateDefaults(db: Db, appId: string, templateId: string): Promise<TemplateDefaults | undefined> {
  const row = await db
    .selectFrom('templates')
    .select(['content', 'data', 'presentation', 'ttl', 'collapse_id', 'priority', 'silent'])
    .where('id', '=', templateId)
    .where('app_id', '=', appId)
    .executeTakeFirst()
  if (!row) return undefined
  const { collapse_id, ...rest } = row
  return { ...rest, collapseId: collapse_id }
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** Every column that a body sets: what it leaves out is null. */
const columnsOf = ({ name, description, content, data, presentation, ttl, collapseId, priority, silent }: SaveTemplate) => ({
  name,
  description: description ?? null,
  content: JSON.stringify(content),
  data: jsonOrNull(data),
  presentation: jsonOrNull(presentation),
  ttl: ttl ?? null,
  collapse_id: collapseId ?? null,
  priority: priority ?? null,
  silent: silent ?? null,
})

/** Writes a template; false: its name is taken in this app, or the app was erased. */
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

/** Replaces a template. */
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

/** Deletes a template; false: unknown. Campaigns hold their own copy. */
export async function deleteTemplate(db: Db, appId: string, id: string): Promise<boolean> {
  const row = await db.deleteFrom('templates').where('id', '=', id).where('app_id', '=', appId).returning('id').executeTakeFirst()
  return row !== undefined
}

/** Templates of an app with what was made of them counted, from an index that holds only sends with a template. */
const shown = (db: Db, appId: string) =>
  db
    .selectFrom('templates')
    .selectAll()
    .select(sql<number>`(select count(*) from campaigns where campaigns.template_id = templates.id)`.as('use_count'))
    .where('app_id', '=', appId)

export const findTemplate = (db: Db, appId: string, id: string) => shown(db, appId).where('id', '=', id).executeTakeFirst()
export type TemplateRow = NonNullable<Awaited<ReturnType<typeof findTemplate>>>

/** One row more than `limit`, newest first, after a place of an earlier page; whose name begins with `prefix`, whatever the letter case. */
export const findTemplates = (
  db: Db,
  appId: string,
  { limit, after, prefix }: { limit: number; after: { createdAt: Date; id: string } | undefined; prefix: string | undefined },
): Promise<TemplateRow[]> =>
  shown(db, appId)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (${after?.createdAt}::timestamptz, ${after?.id})`))
    .$if(prefix !== undefined, (query) => query.where(sql<boolean>`starts_with(lower(name), lower(${prefix}))`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
