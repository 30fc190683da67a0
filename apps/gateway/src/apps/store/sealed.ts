import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/** Where a sealed value is stored. `kind` says in which table and column, and `key` has the columns of the row's primary key. */
export type SealedPlace = { kind: 'provider' | 'kept-credentials' | 'identity-secret' | 'apns-token'; key: string[] }

/** Selects the values, from all four columns, that another key than `keyId` sealed. An empty APNs token counts as no value. */
const sealedOtherwise = (keyId: string) => sql`(
  select 'provider' as kind, array[app_id, kind] as key, sealed_private_key as sealed from providers
  union all
  select 'kept-credentials', array[app_id, kind, id], sealed_private_key from kept_credentials
  union all
  select 'identity-secret', array[id], sealed_identity_secret from apps where sealed_identity_secret is not null
  union all
  select 'apns-token', array[team_id, key_id, key_fingerprint], sealed_token from apns_tokens where sealed_token <> ''
) as every_value where not starts_with(sealed, ${`${keyId}.`})`

/** Finds the next values that another key than `keyId` sealed, in the order of the sealed texts, after the text `after`. */
export async function findSealedOtherwise(
  db: Db,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ place: SealedPlace; sealed: string }[]> {
  const { rows } = await sql<SealedPlace & { sealed: string }>`
    select kind, key, sealed from ${sealedOtherwise(keyId)} and sealed collate "C" > ${after} order by sealed collate "C" limit ${limit}`.execute(
    db,
  )
  return rows.map(({ sealed, ...place }) => ({ place, sealed }))
}

export async function countSealedOtherwise(db: Db, keyId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from ${sealedOtherwise(keyId)}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Replaces a sealed value and gives 1, or 0 when the value was changed or deleted meanwhile. The secret inside stays the same, so the row's version
 * and time stay too.
 */
export async function updateSealed(db: Db, { kind, key }: SealedPlace, { from, to }: { from: string; to: string }): Promise<number> {
  const [one = '', two = '', three = ''] = key
  const statement = {
    provider: sql`update providers set sealed_private_key = ${to} where app_id = ${one} and kind = ${two} and sealed_private_key = ${from}`,
    'kept-credentials': sql`update kept_credentials set sealed_private_key = ${to} where id = ${three} and sealed_private_key = ${from}`,
    'identity-secret': sql`update apps set sealed_identity_secret = ${to} where id = ${one} and sealed_identity_secret = ${from}`,
    'apns-token': sql`update apns_tokens set sealed_token = ${to}
      where team_id = ${one} and key_id = ${two} and key_fingerprint = ${three} and sealed_token = ${from}`,
  }[kind]
  const { numAffectedRows } = await statement.execute(db)
  return Number(numAffectedRows ?? 0)
}
