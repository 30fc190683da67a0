import type { KeyKind, Scope } from '@herald/contracts/administration'
import { sql, type Kysely } from 'kysely'
import type { VerifiedKey } from '../../core/verified-key.ts'
import type { Page } from '../../core/page.ts'
import { newestFirst } from '../../store/newest-first.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

export type NewApiKey = {
  id: string
  appId: string
  kind: KeyKind
  name: string
  scopes: Scope[]
  hash: string
  hint: string
  publicText: string | null
}
export type ShownKey = {
  id: string
  kind: KeyKind
  name: string
  scopes: Scope[]
  hint: string
  /** The whole key when it is public; null for a secret key, and for a public one of an earlier version. */
  publicText: string | null
  createdAt: string
  lastUsedAt: string | null
}

export async function insertApiKey(db: Db, { appId, publicText, ...key }: NewApiKey): Promise<ShownKey> {
  const row = await db
    .insertInto('api_keys')
    .values({ ...key, app_id: appId, public_text: publicText })
    .returning(shownColumns)
    .executeTakeFirstOrThrow()
  return toShown(row)
}

/** Finds the key with this hash, unless its app is deleted. The hash is of the key's whole text, which names the kind and the app too. */
export async function findApiKey(db: Db, hash: string): Promise<VerifiedKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    // `offset 0` makes Postgres find the key first and then look its app up by id.
    .innerJoinLateral(
      (apps) => apps.selectFrom('apps').select('deleted_at').whereRef('apps.id', '=', 'api_keys.app_id').offset(0).as('app'),
      (join) => join.onTrue(),
    )
    .select(['api_keys.id as keyId', 'api_keys.app_id as appId', 'api_keys.kind', 'api_keys.scopes'])
    .where('api_keys.hash', '=', hash)
    .where('app.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && { ...row, scopes: new Set(row.scopes) }
}

export async function findApiKeys(db: Db, appId: string, page: Page): Promise<{ id: string; createdAt: Date; key: ShownKey }[]> {
  const rows = await newestFirst(db.selectFrom('api_keys').where('app_id', '=', appId), page, { id: 'id', createdAt: 'created_at' })
    .select(shownColumns)
    .execute()
  return rows.map((row) => ({ id: row.id, createdAt: row.created_at, key: toShown(row) }))
}

/** Deletes a key; gives false when the app has no such key. */
export async function deleteApiKey(db: Db, appId: string, id: string): Promise<boolean> {
  const deleted = await db.deleteFrom('api_keys').where('id', '=', id).where('app_id', '=', appId).returning('id').executeTakeFirst()
  return deleted !== undefined
}

/** Writes the hour in which each API or administration key was last used. A deleted key, and a key that has the same or a later hour already, is left out. */
export const noteKeyUses = (db: Db, uses: readonly { keyId: string; agoSeconds: number }[]): Promise<unknown> =>
  sql`
    with used as (
      select key_id, date_trunc('hour', now() - make_interval(secs => ago), 'UTC') as hour
      from unnest(${uses.map(({ keyId }) => keyId)}::text[], ${uses.map(({ agoSeconds }) => agoSeconds)}::float8[]) as told(key_id, ago)
    ), of_administration as (
      update admin_keys k set last_used_at = used.hour from used
      where k.id = used.key_id and (k.last_used_at is null or k.last_used_at < used.hour)
    )
    update api_keys k set last_used_at = used.hour from used
    where k.id = used.key_id and (k.last_used_at is null or k.last_used_at < used.hour)`.execute(db)

const shownColumns = ['id', 'kind', 'name', 'scopes', 'hint', 'public_text as publicText', 'created_at', 'last_used_at'] as const

type Row = Omit<ShownKey, 'createdAt' | 'lastUsedAt'> & { created_at: Date; last_used_at: Date | null }

const toShown = ({ created_at, last_used_at, ...key }: Row): ShownKey => ({
  ...key,
  createdAt: created_at.toISOString(),
  lastUsedAt: last_used_at?.toISOString() ?? null,
})
