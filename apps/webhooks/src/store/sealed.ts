import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Secrets sealed with another key than this; of deleted endpoints too, whose rows are not cleared away yet. */
const sealedOtherwise = (db: Db, keyId: string) =>
  db.selectFrom('endpoints').where(sql<boolean>`not starts_with(sealed_secret, ${`${keyId}.`})`)

export const findSealedOtherwise = (
  db: Db,
  keyId: string,
  limit: number,
): Promise<{ id: string; app_id: string; sealed_secret: string }[]> =>
  sealedOtherwise(db, keyId).select(['id', 'app_id', 'sealed_secret']).limit(limit).execute()

export async function countSealedOtherwise(db: Db, keyId: string): Promise<number> {
  const { count } = await sealedOtherwise(db, keyId)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Answers 1, or 0 when the secret is another by now. It is the same secret, so its version and the endpoint's time stay. */
export async function updateSealed(db: Db, id: string, { from, to }: { from: string; to: string }): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('endpoints')
    .set({ sealed_secret: to })
    .where('id', '=', id)
    .where('sealed_secret', '=', from)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
