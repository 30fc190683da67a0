import { defaultSettings, type App, type AppSettings } from '@herald/contracts/app'
import { notFound } from '@herald/contracts/fault'
import { sql, type Kysely } from 'kysely'
import type { Page } from '../../core/page.ts'
import { newestFirst } from '../../store/newest-first.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

export const insertApp = async (db: Db, app: { id: string; name: string; settings: AppSettings }): Promise<App> => {
  const row = await db
    .insertInto('apps')
    .values({ ...app, settings: JSON.stringify(app.settings) })
    .returning(['id', 'name', 'settings', 'created_at'])
    .executeTakeFirstOrThrow()
  return toApp(row)
}

export async function findApp(db: Db, id: string): Promise<App | undefined> {
  const row = await db
    .selectFrom('apps')
    .select(['id', 'name', 'settings', 'created_at'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toApp(row)
}

/** Reads an app. Fault not_found. */
export async function getApp(db: Db, id: string): Promise<App> {
  const app = await findApp(db, id)
  if (!app) throw notFound()
  return app
}

/**
 * Locks the app's row until the caller's transaction ends, so that nothing is added to an app that is being deleted. Several transactions can hold
 * this lock at once. Fault not_found.
 */
export async function holdApp(db: Db, id: string): Promise<void> {
  const row = await db.selectFrom('apps').select('id').where('id', '=', id).where('deleted_at', 'is', null).forShare().executeTakeFirst()
  if (!row) throw notFound()
}

/**
 * Finds the apps of a page, and one more to show that another page follows. With `page.q` only apps whose name contains it, in any letter case.
 */
export async function findApps(db: Db, page: Page, onlyApp?: string): Promise<{ id: string; createdAt: Date; app: App }[]> {
  const rows = await newestFirst(db.selectFrom('apps').where('deleted_at', 'is', null), page, {
    id: 'apps.id',
    createdAt: 'apps.created_at',
  })
    .select(['id', 'name', 'settings', 'created_at'])
    .$if(onlyApp !== undefined, (query) => query.where('id', '=', onlyApp ?? ''))
    .$if(page.q !== undefined, (query) => query.where(sql<boolean>`position(lower(${page.q ?? ''}) in lower(name)) > 0`))
    .execute()
  return rows.map((row) => ({ id: row.id, createdAt: row.created_at, app: toApp(row) }))
}

/**
 * Changes an app. Settings that the request leaves out stay as they are, even when two requests change the app at once: the statement merges them.
 */
export async function updateApp(
  db: Db,
  id: string,
  changes: { name?: string | undefined; settings: Partial<AppSettings> },
): Promise<App | undefined> {
  const row = await db
    .updateTable('apps')
    .set({
      ...(changes.name === undefined ? {} : { name: changes.name }),
      settings: sql<string>`settings || ${JSON.stringify(changes.settings)}::jsonb`,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(['id', 'name', 'settings', 'created_at'])
    .executeTakeFirst()
  return row && toApp(row)
}

const isoNow = sql<string>`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Locks an app and reads its hold-out: when it began (null: it is off), how often it was drawn, and the time now. Fault not_found. */
export async function lockHoldout(db: Db, id: string): Promise<{ since: string | null; generation: number; now: string }> {
  const row = await db
    .selectFrom('apps')
    .select([sql<string | null>`settings #>> '{holdout,since}'`.as('since'), 'holdout_generation as generation', isoNow.as('now')])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** Draws an app's hold-out anew, and gives since when it holds. */
export async function drawHoldout(db: Db, id: string): Promise<string> {
  const { rows } = await sql<{ since: string }>`
    update apps set holdout_generation = holdout_generation + 1,
      settings = settings || jsonb_build_object('holdout',
        settings -> 'holdout' || jsonb_build_object('since', ${isoNow}, 'generation', holdout_generation + 1))
    where id = ${id} returning settings #>> '{holdout,since}' as since`.execute(db)
  return rows[0]?.since ?? ''
}

/** Marks an app as deleted; gives false when there is no such app. */
export async function markAppDeleted(db: Db, id: string): Promise<boolean> {
  const marked = await db
    .updateTable('apps')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return marked !== undefined
}

/**
 * Deletes the gateway's rows of a deleted app: its keys, credentials, drafts, pictures and its row with the identity secret. The audit stays. Every APNs
 * token whose team, key and private key no app's credentials name is deleted too.
 */
export async function deleteAppRows(db: Db, id: string): Promise<void> {
  await db.deleteFrom('api_keys').where('app_id', '=', id).execute()
  await db.deleteFrom('admin_keys').where('app_id', '=', id).execute()
  await db.deleteFrom('providers').where('app_id', '=', id).execute()
  await db.deleteFrom('kept_credentials').where('app_id', '=', id).execute()
  await db.deleteFrom('drafts').where('app_id', '=', id).execute()
  await db.deleteFrom('approvals').where('app_id', '=', id).execute()
  await db.deleteFrom('pictures').where('app_id', '=', id).execute()
  await sql`
    delete from apns_tokens t where not exists (
      select from providers where kind = 'apns'
        and settings @> jsonb_build_object('teamId', t.team_id, 'keyId', t.key_id, 'keyFingerprint', t.key_fingerprint)
    )`.execute(db)
  await db.deleteFrom('apps').where('id', '=', id).where('deleted_at', 'is not', null).execute()
}

export async function updateIdentitySecret(db: Db, id: string, sealed: string): Promise<boolean> {
  const changed = await db
    .updateTable('apps')
    .set({ sealed_identity_secret: sealed })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Whether an app requires identity tokens, and the sealed secret that signs them. */
export type IdentityRule = { required: boolean; sealedSecret: string | null }

export const findIdentityRule = (db: Db, id: string): Promise<IdentityRule | undefined> =>
  db
    .selectFrom('apps')
    .select([sql<boolean>`settings ->> 'identityVerification' = 'required'`.as('required'), 'sealed_identity_secret as sealedSecret'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** How an app attributes conversions, and whether a public key may report a value. */
export type ConversionRule = { attribution: AppSettings['attribution']; publicValues: boolean }

export async function findConversionRule(db: Db, id: string): Promise<ConversionRule | undefined> {
  const app = await findApp(db, id)
  return app && { attribution: app.settings.attribution, publicValues: app.settings.conversions.publicValues }
}

/** A setting that is younger than the app has its default until it is set. */
const toApp = (row: { id: string; name: string; settings: Partial<AppSettings>; created_at: Date }): App => ({
  id: row.id,
  name: row.name,
  settings: { ...defaultSettings, ...row.settings },
  createdAt: row.created_at.toISOString(),
})

/** Makes other transactions that add to what an app has of this kind wait until this one ends, so that each sees what the others have added. */
export const holdAdding = (trx: Db, appId: string, kind: 'drafts' | 'pictures'): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`gateway.${kind} ${appId}`}, 0))`.execute(trx)
