import type { ProviderKind } from '@herald/contracts/app'
import { sql, type Kysely } from 'kysely'
import type { ProviderSettings } from '../core/providers/providers.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

export type Provider<Kind extends ProviderKind = ProviderKind> = {
  settings: Extract<ProviderSettings, { kind: Kind }>
  version: number
  sealedPrivateKey: string
  updatedAt: Date
}

/** Finds an app's credentials for a provider; undefined when there are none or the app is deleted. */
export async function findProvider<Kind extends ProviderKind>(db: Db, appId: string, kind: Kind): Promise<Provider<Kind> | undefined> {
  const row = await db
    .selectFrom('providers')
    .innerJoinLateral(
      (apps) => apps.selectFrom('apps').select('deleted_at').whereRef('apps.id', '=', 'providers.app_id').offset(0).as('app'),
      (join) => join.onTrue(),
    )
    .select(['providers.settings', 'version', 'sealed_private_key', 'updated_at'])
    .where('app_id', '=', appId)
    .where('kind', '=', kind)
    .where('app.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row || !isOfKind(row.settings, kind)) return undefined
  return { settings: row.settings, version: row.version, sealedPrivateKey: row.sealed_private_key, updatedAt: row.updated_at }
}

/** Stores credentials in the place of earlier ones, under a version that was never used before. */
export const upsertProvider = (db: Db, appId: string, settings: ProviderSettings, sealedPrivateKey: string): Promise<unknown> =>
  db
    .insertInto('providers')
    .values({ app_id: appId, kind: settings.kind, settings: JSON.stringify(settings), sealed_private_key: sealedPrivateKey })
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'kind']).doUpdateSet({
        settings: JSON.stringify(settings),
        sealed_private_key: sealedPrivateKey,
        version: sql<number>`nextval('provider_versions')`,
        updated_at: sql<Date>`now()`,
      }),
    )
    .execute()

/** Deletes an app's credentials for a provider; gives false when there were none. */
export async function deleteProvider(db: Db, appId: string, kind: ProviderKind): Promise<boolean> {
  const deleted = await db.deleteFrom('providers').where('app_id', '=', appId).where('kind', '=', kind).returning('kind').executeTakeFirst()
  return deleted !== undefined
}

const isOfKind = <Kind extends ProviderKind>(
  settings: ProviderSettings,
  kind: Kind,
): settings is Extract<ProviderSettings, { kind: Kind }> => settings.kind === kind

/** Finds the providers that an app has credentials for. */
export async function findProviderKinds(db: Db, appId: string): Promise<ReadonlySet<ProviderKind>> {
  const rows = await db.selectFrom('providers').select('kind').where('app_id', '=', appId).execute()
  return new Set(rows.map(({ kind }) => kind))
}
