import { sql } from 'kysely'
import type { Departure } from '../core/identity.ts'
import type { Db } from '../../store/tables.ts'

/** Whether user `u` has no device, by a look-up for each user. Postgres might turn `not exists` into a join that reads all devices. */
const hasNoDevice = sql<boolean>`(select s.id from subscriptions s where s.user_id = u.id limit 1) is null`

/** Whether user `u` is identified, has no devices, tags, language, timezone, country or choices, and was never changed with a secret key or an import. */
const isBare = sql<boolean>`
  u.external_id is not null and not u.by_backend and u.tags = '{}' and u.language is null and u.timezone is null and u.country is null
  and u.preferences is null
  and ${hasNoDevice}`

/**
 * Follows up on devices that have left their users, whose rows are locked. Deletes anonymous users without a device, notes bare ones (`isBare`) for
 * removal in 30 days, and remembers the devices of users with an external id (spec: administration/former-devices).
 */
export async function leaveUsers(db: Db, departures: Departure[]): Promise<void> {
  const userIds = departures.map(({ userId }) => userId)
  await sql`
    with gone as (
      delete from users u where u.id = any(${userIds}::text[]) and u.external_id is null and ${hasNoDevice}
    ), former as (
      insert into former_devices (user_id, subscription_id)
      select left_by.user_id, left_by.subscription_id
      from unnest(${userIds}::text[], ${departures.map(({ subscriptionId }) => subscriptionId)}::text[]) as left_by(user_id, subscription_id)
        cross join lateral (select id from users where id = left_by.user_id and external_id is not null offset 0) u
      order by left_by.user_id, left_by.subscription_id
      on conflict (user_id, subscription_id) do update set until = excluded.until
    )
    insert into abandoned_users (user_id) select u.id from users u where u.id = any(${userIds}::text[]) and ${isBare}
    on conflict (user_id) do update set due_at = excluded.due_at`.execute(db)
}

/** Locks at most `limit` candidates whose 30 days are over, so that no transaction can give them a device. Leaves out users who are locked already. */
export async function takeAbandoned(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from abandoned_users a join users u on u.id = a.user_id
    where a.due_at <= now() order by a.due_at limit ${limit} for update of u skip locked`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes the users who are still bare (`isBare`). The other users are no candidates any more. The caller has locked all of them. */
export async function removeAbandoned(db: Db, userIds: string[]): Promise<void> {
  await sql`delete from users u where u.id = any(${userIds}::text[]) and ${isBare}`.execute(db)
  await sql`delete from abandoned_users where user_id = any(${userIds}::text[])`.execute(db)
}
