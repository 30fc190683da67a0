import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/** The services that have rows of apps and erase them when an app is deleted. Campaigns is asked first. */
const erasingApps = ['campaigns', 'audience', 'tracker', 'webhooks'] as const
export type ErasingApp = Tables['app_erasures']['app']
export type AppErasure = { appId: string; app: ErasingApp }

export const insertAppErasures = (db: Db, appId: string): Promise<unknown> =>
  db
    .insertInto('app_erasures')
    .values(erasingApps.map((app) => ({ app_id: appId, app })))
    .execute()

/**
 * Takes due erasures: those in campaigns first, so that no new push is queued while other services erase. A taken erasure is due again 15 s later,
 * unless deleted or made due before. Two sweeps take different ones.
 */
export async function takeDueAppErasures(db: Db, limit: number): Promise<AppErasure[]> {
  const { rows } = await sql<AppErasure>`
    with due as (
      select app_id, app from app_erasures e
      where due_at <= now()
        and (app = 'campaigns' or not exists (select from app_erasures first where first.app_id = e.app_id and first.app = 'campaigns'))
      order by due_at limit ${limit} for update skip locked
    )
    update app_erasures e set due_at = now() + interval '15 seconds'
    from due where e.app_id = due.app_id and e.app = due.app
    returning e.app_id as "appId", e.app`.execute(db)
  return rows
}

/** Makes an erasure due at once, because the service has more rows to erase. */
export const againAt = (db: Db, { appId, app }: AppErasure): Promise<unknown> =>
  db
    .updateTable('app_erasures')
    .set({ due_at: sql<Date>`now()` })
    .where('app_id', '=', appId)
    .where('app', '=', app)
    .execute()

export const lockApp = (db: Db, appId: string): Promise<unknown> =>
  db.selectFrom('apps').select('id').where('id', '=', appId).forUpdate().execute()

/** Deletes an erasure that is done and gives how many erasures of the app are left. */
export async function deleteAppErasure(db: Db, { appId, app }: AppErasure): Promise<number> {
  await db.deleteFrom('app_erasures').where('app_id', '=', appId).where('app', '=', app).execute()
  const { left } = await db
    .selectFrom('app_erasures')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow()
  return left
}
