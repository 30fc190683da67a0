import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/** The team and key that a provider token belongs to. The fingerprint is of the public half of the private key. */
export type ApnsTokenOwner = { teamId: string; keyId: string; keyFingerprint: string }
export type ApnsTokenRow = { sealedToken: string; mintedAt: Date; ageSeconds: number }

/** Inserts a row for the team and key unless there is one, so that there is a row to lock. An empty token means that none was minted yet. */
export const insertApnsTokenOwner = (db: Db, owner: ApnsTokenOwner): Promise<unknown> =>
  db
    .insertInto('apns_tokens')
    .values({ team_id: owner.teamId, key_id: owner.keyId, key_fingerprint: owner.keyFingerprint, sealed_token: '', minted_at: new Date(0) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findApnsToken = (db: Db, owner: ApnsTokenOwner): Promise<ApnsTokenRow | undefined> => selectOf(db, owner).executeTakeFirst()

/**
 * Locks the token's row for this transaction and gives the row. The token's age is computed once the lock is held, not when the transaction began.
 */
export const lockApnsToken = (db: Db, owner: ApnsTokenOwner): Promise<ApnsTokenRow> =>
  selectOf(db, owner).forUpdate().executeTakeFirstOrThrow()

export const updateApnsToken = (db: Db, owner: ApnsTokenOwner, token: { sealedToken: string; mintedAt: Date }): Promise<unknown> =>
  db
    .updateTable('apns_tokens')
    .set({ sealed_token: token.sealedToken, minted_at: token.mintedAt })
    .where('team_id', '=', owner.teamId)
    .where('key_id', '=', owner.keyId)
    .where('key_fingerprint', '=', owner.keyFingerprint)
    .execute()

/**
 * Deletes tokens that no app's credentials name any more, as after a check of credentials that were not stored. A repeated check within the hour uses the
 * same token: APNs refuses keys that get new tokens too often.
 */
export async function deleteUnnamedApnsTokens(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from apns_tokens where minted_at < now() - interval '1 hour' and not exists (
      select from providers where kind = 'apns'
        and settings @> jsonb_build_object('teamId', team_id, 'keyId', key_id, 'keyFingerprint', key_fingerprint)
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Reads the database's clock. Tokens are dated by it, so that gateways with different clocks agree on a token's age. */
export const readClock = async (db: Db): Promise<Date> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}

const selectOf = (db: Db, owner: ApnsTokenOwner) =>
  db
    .selectFrom('apns_tokens')
    .select([
      'sealed_token as sealedToken',
      'minted_at as mintedAt',
      sql<number>`extract(epoch from clock_timestamp() - minted_at)::float8`.as('ageSeconds'),
    ])
    .where('team_id', '=', owner.teamId)
    .where('key_id', '=', owner.keyId)
    .where('key_fingerprint', '=', owner.keyFingerprint)
