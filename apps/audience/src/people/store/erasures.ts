import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

export type Erasure = { appId: string; userId: string }

export const insertErasure = (db: Db, { appId, userId }: Erasure) =>
  db.insertInto('erasures').values({ app_id: appId, user_id: userId }).execute()

/**
 * Takes erased users of whom tracker and webhooks must still be told. A user is taken again after 5, 10, and then every 15 s, until both have
 * answered. Two sweeps never take the same user at the same time.
 */
export async function takeDueErasures(db: Db, limit: number): Promise<(Erasure & { tries: number })[]> {
  const { rows } = await sql<Erasure & { tries: number }>`
    with due as (
      select user_id from erasures where due_at <= now() order by due_at limit ${limit} for update skip locked
    )
    update erasures e set tries = tries + 1, due_at = now() + make_interval(secs => least(5 * (tries + 1), 15))
    from due where e.user_id = due.user_id
    returning e.app_id as "appId", e.user_id as "userId", e.tries`.execute(db)
  return rows
}

export const deleteErasures = (db: Db, userIds: string[]) => sql`delete from erasures where user_id = any(${userIds}::text[])`.execute(db)
