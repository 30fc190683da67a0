import type { AdminScope } from '@herald/contracts/administration'
import type { Kysely } from 'kysely'
import type { VerifiedAdminKey } from '../../core/verified-key.ts'
import type { Page } from '../../core/page.ts'
import { newestFirst } from '../../store/newest-first.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

export type NewAdminKey = { id: string; appId: string; name: string; scopes: AdminScope[]; hash: string; hint: string }
export type ShownAdminKey = {
  id: string
  name: string
  scopes: AdminScope[]
  hint: string
  createdAt: string
  lastUsedAt: string | null
}

export async function insertAdminKey(db: Db, { appId, ...key }: NewAdminKey): Promise<ShownAdminKey> {
  const row = await db
    .insertInto('admin_keys')
    .values({ ...key, app_id: appId })
    .returning(shownColumns)
    .executeTakeFirstOrThrow()
  return toShown(row)
}

/** Finds the administration key with this hash, unless its app is deleted. */
export async function findAdminKey(db: Db, hash: string): Promise<VerifiedAdminKey | undefined> {
  const row = await db
    .selectFrom('admin_keys')
    .innerJoin('apps', 'apps.id', 'admin_keys.app_id')
    .select(['admin_keys.id as keyId', 'admin_keys.app_id as appId', 'admin_keys.name', 'admin_keys.scopes'])
    .where('admin_keys.hash', '=', hash)
    .where('apps.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && { ...row, scopes: new Set(row.scopes) }
}

export async function findAdminKeys(db: Db, appId: string, page: Page): Promise<{ id: string; createdAt: Date; key: ShownAdminKey }[]> {
  const rows = await newestFirst(db.selectFrom('admin_keys').where('app_id', '=', appId), page, { id: 'id', createdAt: 'created_at' })
    .select(shownColumns)
    .execute()
  return rows.map((row) => ({ id: row.id, createdAt: row.created_at, key: toShown(row) }))
}

/** Counts the administration keys of an app, whose row the caller holds. */
export async function countAdminKeys(db: Db, appId: string): Promise<number> {
  const { count } = await db
    .selectFrom('admin_keys')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes an administration key, and with it the sessions that began with it; gives false when the app has no such key. */
export async function deleteAdminKey(db: Db, appId: string, id: string): Promise<boolean> {
  const deleted = await db.deleteFrom('admin_keys').where('id', '=', id).where('app_id', '=', appId).returning('id').executeTakeFirst()
  return deleted !== undefined
}

const shownColumns = ['id', 'name', 'scopes', 'hint', 'created_at', 'last_used_at'] as const

type Row = Omit<ShownAdminKey, 'createdAt' | 'lastUsedAt'> & { created_at: Date; last_used_at: Date | null }

const toShown = ({ created_at, last_used_at, ...key }: Row): ShownAdminKey => ({
  ...key,
  createdAt: created_at.toISOString(),
  lastUsedAt: last_used_at?.toISOString() ?? null,
})
