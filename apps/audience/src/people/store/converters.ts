import type { Converter } from '@herald/contracts/calls/audience'
import type { UserAddress } from '@herald/contracts/user'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { userKeyOf } from './users.ts'

export type Named = UserAddress | { subscriptionId: string }

/** A user has at most 100 devices. Of the devices that have left the user, this many of the latest are found. */
const mostFormer = 100

/** Finds users with their devices, present and former, in the order given; null for one that the app does not have. */
export async function findConverters(db: Db, { appId, users }: { appId: string; users: Named[] }): Promise<(Converter | null)[]> {
  const asked = users.map((user) => ({
    id: 'userId' in user ? user.userId : null,
    key: 'externalId' in user ? userKeyOf({ appId, externalId: user.externalId }) : null,
    device: 'subscriptionId' in user ? user.subscriptionId : null,
  }))
  // Each way to name a user has its own look-up by key.
  const { rows } = await sql<Converter & { place: number }>`
    with asked as materialized (
      select ordinality - 1 as place, id, key, device
      from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(({ key }) => key)}::text[], ${asked.map(({ device }) => device)}::text[])
        with ordinality as asked(id, key, device, ordinality)
    ), found as materialized (
      select place, u.id from asked cross join lateral (select id from users where users.id = asked.id and app_id || '' = ${appId} offset 0) u
      union all
      select place, u.id from asked
        cross join lateral (select id from users where (app_id || ' ' || external_id) = asked.key offset 0) u
      union all
      select place, s.user_id from asked
        cross join lateral (select user_id from subscriptions where subscriptions.id = asked.device and app_id || '' = ${appId} offset 0) s
    )
    select found.place::int as place, found.id as "userId", array(
      select id from subscriptions s where s.user_id = found.id
      union
      select subscription_id from (
        select subscription_id from former_devices where user_id = found.id order by until desc limit ${sql.lit(mostFormer)}
      ) former
      limit 200
    ) as "subscriptionIds"
    from found`.execute(db)
  const byPlace = new Map(rows.map(({ place, ...user }) => [place, user]))
  return users.map((_user, place) => byPlace.get(place) ?? null)
}
