import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Selects the secrets that another key than this one has sealed, also those of deleted endpoints whose rows still exist. */
const sealedOtherwise = (db: Db, keyId: string) =>
  db.selectFrom('endpoints').where(sql<boolean>`not starts_with(sealed_secret, ${`${keyId}.`})`)

/** Finds the next secrets that another key than `keyId` has sealed, in the order of the sealed texts, after the text `after`. */
export const findSealedOtherwise = (
  db: Db,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; appId: string; sealedSecret: string }[]> =>
  sealedOtherwise(db, keyId)
    .select(['id', 'app_id as appId', 'sealed_secret as sealedSecret'])
    .where(sql`sealed_secret collate "C"`, '>', after)
    .orderBy(sql`sealed_secret collate "C"`)
    .limit(limit)
    .execute()

export async function countSealedOtherwise(db: Db, keyId: string): Promise<number> {
  const { count } = await sealedOtherwise(db, keyId)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Replaces a sealed secret. Gives 1, or 0 when the secret was rotated since it was read. The secret inside stays the same, so its version and the
 * endpoint's `updated_at` stay too.
 */
export async function updateSealed(db: Db, id: string, { from, to }: { from: string; to: string }): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('endpoints')
    .set({ sealed_secret: to })
    .where('id', '=', id)
    .where('sealed_secret', '=', from)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
