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
