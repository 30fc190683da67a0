import type { ProviderKind } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { sql, type Kysely } from 'kysely'
import type { ProviderSettings } from '../core/providers/providers.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/** Credentials that are not in use: candidates, about which a provider is being asked, and former ones. */
export type KeptCredentials = { settings: ProviderSettings; sealedPrivateKey: string; createdAt: Date }

/** Inserts credentials that a provider is to be asked about, and gives their id. */
export async function insertCandidate(
  db: Db,
  appId: string,
  { settings, sealedPrivateKey }: Omit<KeptCredentials, 'createdAt'>,
): Promise<string> {
  const id = newId()
  await db
    .insertInto('kept_credentials')
    .values({
      id,
      app_id: appId,
      kind: settings.kind,
      state: 'candidate',
      settings: JSON.stringify(settings),
      sealed_private_key: sealedPrivateKey,
    })
    .execute()
  return id
}

/** Finds a candidate; undefined when it is gone, or its app is deleted. */
export async function findCandidate(db: Db, appId: string, id: string): Promise<KeptCredentials | undefined> {
  const row = await db
    .selectFrom('kept_credentials')
    .innerJoin('apps', 'apps.id', 'kept_credentials.app_id')
    .select(['kept_credentials.settings', 'sealed_private_key', 'kept_credentials.created_at'])
    .where('kept_credentials.id', '=', id)
    .where('app_id', '=', appId)
    .where('state', '=', 'candidate')
    .where('apps.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toKept(row)
}

/** Deletes candidates that a gateway left behind when it died; gives how many. */
export async function deleteOldCandidates(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('kept_credentials')
    .where('state', '=', 'candidate')
    .where('created_at', '<', sql<Date>`now() - interval '10 minutes'`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const deleteCandidate = (db: Db, id: string): Promise<unknown> =>
  db.deleteFrom('kept_credentials').where('id', '=', id).where('state', '=', 'candidate').execute()

/** Keeps credentials as the former ones, in the place of those that were kept before. */
export const upsertFormer = (
  db: Db,
  appId: string,
  { settings, sealedPrivateKey }: Omit<KeptCredentials, 'createdAt'>,
): Promise<unknown> => {
  const kept = { settings: JSON.stringify(settings), sealed_private_key: sealedPrivateKey }
  return db
    .insertInto('kept_credentials')
    .values({ ...kept, id: newId(), app_id: appId, kind: settings.kind, state: 'former' })
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'kind'])
        .where('state', '=', 'former')
        .doUpdateSet({ ...kept, created_at: sql<Date>`now()` }),
    )
    .execute()
}

export async function findFormer(db: Db, appId: string, kind: ProviderKind): Promise<KeptCredentials | undefined> {
  const row = await db
    .selectFrom('kept_credentials')
    .select(['settings', 'sealed_private_key', 'created_at'])
    .where('app_id', '=', appId)
    .where('kind', '=', kind)
    .where('state', '=', 'former')
    .executeTakeFirst()
  return row && toKept(row)
}

export const deleteKept = (db: Db, appId: string, kind: ProviderKind): Promise<unknown> =>
  db.deleteFrom('kept_credentials').where('app_id', '=', appId).where('kind', '=', kind).execute()

const toKept = (row: { settings: ProviderSettings; sealed_private_key: string; created_at: Date }): KeptCredentials => ({
  settings: row.settings,
  sealedPrivateKey: row.sealed_private_key,
  createdAt: row.created_at,
})
