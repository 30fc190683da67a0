import { sql } from 'kysely'
import type { Selection } from './pages.ts'
import type { Db } from '../../store/tables.ts'
import { userKeyOf, userKeyColumn } from '../../people/store/users.ts'

/** Lists the time zones of an app's users, each once. It looks into the index once for each zone, however many users the zone has. */
export async function listTimeZones(db: Db, appId: string): Promise<string[]> {
  const { rows } = await sql<{ timezone: string }>`
    with recursive zones as (
      (select timezone from users where app_id = ${appId} and timezone is not null order by timezone limit 1)
      union all
      select (select u.timezone from users u where u.app_id = ${appId} and u.timezone > zones.timezone order by u.timezone limit 1)
      from zones where zones.timezone is not null
    )
    select timezone from zones where timezone is not null`.execute(db)
  return rows.map(({ timezone }) => timezone)
}

/**
 * Finds the time zones of the users whom a target may mean; `''` means users without one. For listed devices these are their users' zones, so that
 * all devices of a user are in one wave.
 */
export async function findZones(db: Db, appId: string, selection: Selection): Promise<string[]> {
  if (selection.kind === 'all' || selection.kind === 'segment') {
    const without = await db.selectFrom('users').select('id').where('app_id', '=', appId).where('timezone', 'is', null).limit(1).execute()
    return [...without.map(() => ''), ...(await listTimeZones(db, appId))]
  }
  const { rows } = await sql<{ zone: string }>`
    select distinct coalesce(timezone, '') as zone from users where app_id || '' = ${appId} and ${named(appId, selection)}`.execute(db)
  return rows.map(({ zone }) => zone)
}

function named(appId: string, selection: Extract<Selection, { kind: 'externalIds' | 'userIds' | 'subscriptionIds' }>) {
  switch (selection.kind) {
    case 'externalIds':
      return sql`${userKeyColumn} = any(${selection.externalIds.map((externalId) => userKeyOf({ appId, externalId }))}::text[])`
    case 'userIds':
      return sql`id = any(${selection.userIds}::text[])`
    case 'subscriptionIds':
      return sql`id in (select user_id from subscriptions where id = any(${selection.subscriptionIds}::text[]))`
  }
}
