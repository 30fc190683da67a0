import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

/** Finds a user's former devices (`leaveUsers` remembers them), in the order of their ids, beginning after the id `after`. */
export async function findFormerDevices(
  db: Db,
  { appId, userId, after, limit }: { appId: string; userId: string; after: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select f.subscription_id as id from users u cross join lateral (
      select subscription_id from former_devices where user_id = u.id and subscription_id > ${after ?? ''}
      order by subscription_id limit ${limit}
    ) f
    where u.id = ${userId} and u.app_id || '' = ${appId}
    order by f.subscription_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** A former device is kept, from when it left its user, this many days longer than the ledger keeps pushes. */
const daysMore = 1
const portion = 5_000

/** Deletes former devices that left their user so long ago that the ledger has no push from that time any more. Answers whether there may be more. */
export async function purgeFormerDevices(db: Db, ledgerDays: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from former_devices where (user_id, subscription_id) in (
      select user_id, subscription_id from former_devices
      where until < now() - make_interval(days => ${ledgerDays + daysMore}) order by until limit ${portion}
    )`.execute(db)
  return Number(numAffectedRows ?? 0) === portion
}
