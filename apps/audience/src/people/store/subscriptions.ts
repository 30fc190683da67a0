import type { Platform } from '@herald/contracts/platform'
import type { PatchSubscription, SessionBody } from '@herald/contracts/subscription'
import { sql } from 'kysely'
import { sessionGapMinutes } from '../core/identity.ts'
import type { Db } from '../../store/tables.ts'

/** SQL that is true if a device begins a new session now: it has had no session, or its last session began at least `sessionGapMinutes` ago. */
const newSession = sql`(last_session_at is null or last_session_at <= now() - make_interval(mins => ${sql.lit(sessionGapMinutes)}))`
export const sessionColumns = sql`
  session_count = session_count + case when ${newSession} then 1 else 0 end,
  last_session_at = case when ${newSession} then now() else last_session_at end`

/** Locks a device and answers its owner, or undefined when the app has no such device. */
export async function lockSubscription(db: Db, { appId, id }: { appId: string; id: string }): Promise<{ userId: string } | undefined> {
  return db
    .selectFrom('subscriptions')
    .select('user_id as userId')
    .where('id', '=', id)
    .where('app_id', '=', appId)
    .forUpdate()
    .executeTakeFirst()
}

export const findOwnerOf = async (db: Db, appId: string, id: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('subscriptions')
      .select('user_id')
      .where('id', '=', id)
      .where(sql<boolean>`app_id || '' = ${appId}`)
      .executeTakeFirst()
  )?.user_id

export const findPlatformOf = async (db: Db, id: string): Promise<Platform | undefined> =>
  (await db.selectFrom('subscriptions').select('platform').where('id', '=', id).executeTakeFirst())?.platform

export const isAddressTaken = async (db: Db, addressHash: Buffer): Promise<boolean> =>
  (await db.selectFrom('subscriptions').select('id').where('address_hash', '=', addressHash).executeTakeFirst()) !== undefined

/** Locks all devices of a user, in the order of their ids, and answers the ids. */
export async function lockSubscriptionsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('subscriptions').select('id').where('user_id', '=', userId).orderBy('id').forUpdate().execute()
  return rows.map(({ id }) => id)
}

/** Makes a user the owner of a device. The caller has locked the device and the user. */
export const giveSubscription = (db: Db, id: string, userId: string) =>
  db
    .updateTable('subscriptions')
    .set({ user_id: userId, last_active_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()

const deviceFields = ['appVersion', 'osVersion', 'deviceModel'] as const

/** Changes the fields of a device that a PATCH request names; undefined fields stay. Answers undefined when the app has no such device. */
export async function patchSubscription(
  db: Db,
  { appId, subscriptionId, changes }: { appId: string; subscriptionId: string; changes: PatchSubscription },
): Promise<{ id: string; optedIn: boolean } | undefined> {
  return db
    .updateTable('subscriptions')
    .set({
      ...(changes.optedIn === undefined ? {} : { opted_in: changes.optedIn }),
      ...(changes.optedIn === false ? { opted_out_at: sql<Date>`case when opted_in then now() else opted_out_at end` } : {}),
      ...(deviceFields.some((field) => changes[field] !== undefined) ? { told_at: sql<Date>`now()` } : {}),
      ...(changes.appVersion === undefined ? {} : { app_version: changes.appVersion }),
      ...(changes.osVersion === undefined ? {} : { os_version: changes.osVersion }),
      ...(changes.deviceModel === undefined ? {} : { device_model: changes.deviceModel }),
      // A request that changes the badge alone changes no column here.
      ...(Object.values(changes).every((value) => value === undefined) ? { told_at: sql<Date>`told_at` } : {}),
    })
    .where('id', '=', subscriptionId)
    .where('app_id', '=', appId)
    .returning(['id', 'opted_in as optedIn'])
    .executeTakeFirst()
}

/**
 * Stores that the mobile app or web page on a device came to the foreground: device and owner are active now, and a new session may begin. Undefined
 * when the app has no such device.
 */
export async function startSession(
  db: Db,
  { appId, subscriptionId, session }: { appId: string; subscriptionId: string; session: SessionBody },
): Promise<{ id: string; sessionCount: number; lastSessionAt: Date } | undefined> {
  const { rows } = await sql<{ id: string; sessionCount: number; lastSessionAt: Date }>`
    with started as (
      update subscriptions set last_active_at = now(), ${sessionColumns},
        app_version = coalesce(${session.appVersion ?? null}, app_version), os_version = coalesce(${session.osVersion ?? null}, os_version)
      where id = ${subscriptionId} and app_id = ${appId}
      returning id, app_id, user_id, session_count, last_session_at
    ), cleared as (
      update badges b set badge = 0 from started where b.app_id = started.app_id and b.subscription_id = started.id and b.badge <> 0
    ), seen_user as (
      update users set last_active_at = now() from started where users.id = started.user_id
    )
    select id, session_count as "sessionCount", last_session_at as "lastSessionAt" from started`.execute(db)
  return rows[0]
}

/** Writes a device's new address. An invalidated device is valid again, because the new address may work. An opt-out stays. */
export const writeAddress = (db: Db, id: string, { addressHash, address, keys }: NewAddress) =>
  db
    .updateTable('subscriptions')
    .set((eb) => ({
      address,
      address_hash: addressHash,
      p256dh: keys?.p256dh ?? null,
      auth: keys?.auth ?? null,
      token_version: eb('token_version', '+', 1),
      invalidated_at: null,
      registered_at: sql<Date>`now()`,
      last_active_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .execute()

/** The address that a device gets. `keys`: null for a phone. */
export type NewAddress = { addressHash: Buffer; address: string; keys: { p256dh: string; auth: string } | null }

/**
 * Deletes devices, which the caller has locked, with badges, tokens of Live Activities and the times of their last pushes. A finish at the same moment
 * may store such a time; `purgeGoneNotes` deletes it later.
 */
export async function deleteSubscriptions(db: Db, ids: string[]): Promise<void> {
  await sql`
    delete from badges b using subscriptions s
    where s.id = any(${ids}::text[]) and b.app_id = s.app_id and b.subscription_id = s.id`.execute(db)
  await sql`
    delete from activity_tokens t using subscriptions s
    where s.id = any(${ids}::text[]) and t.app_id = s.app_id and t.subscription_id = s.id`.execute(db)
  await sql`delete from last_notified where subscription_id = any(${ids}::text[])`.execute(db)
  await sql`delete from subscriptions where id = any(${ids}::text[])`.execute(db)
}

export async function countDevices(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * A token that a provider called dead. `agoMs`: how many milliseconds ago the provider was asked. `deadSince`: since when the token is dead by the
 * provider's clock (ISO 8601); null when the provider does not say it.
 */
export type DeadToken = {
  subscriptionId: string
  tokenVersion: number
  agoMs: number
  deadSince: string | null
  /** The code of the provider's answer, and below the campaign of the push. */
  code: string
  campaignId: string
}
export type Invalidated = { id: string; appId: string; userId: string; platform: Platform; tokenVersion: number; at: Date }

/**
 * Invalidates devices whose tokens a provider called dead, and answers those that were valid until now. A device stays valid when its token has
 * another version, or when it registered since the question, or since `deadSince` if earlier.
 */
export async function invalidateDead(db: Db, dead: DeadToken[]): Promise<Invalidated[]> {
  // `agoMs` counts back from the database's time, and the earlier of that instant and `deadSince` counts. So a provider's wrong clock can keep a device
  // valid, but cannot make one invalid.
  const { rows } = await sql<Invalidated>`
    with dead as (
      select s.id, told.code, told.campaign_id from subscriptions s
        join unnest(
          ${dead.map(({ subscriptionId }) => subscriptionId)}::text[],
          ${dead.map(({ tokenVersion }) => tokenVersion)}::int[],
          ${dead.map(({ agoMs }) => agoMs)}::float8[],
          ${dead.map(({ deadSince }) => deadSince)}::timestamptz[],
          ${dead.map(({ code }) => code)}::text[],
          ${dead.map(({ campaignId }) => campaignId)}::text[]
        ) as told(id, token_version, ago_ms, dead_since, code, campaign_id)
          on s.id = told.id and s.token_version = told.token_version
            and s.registered_at < least(told.dead_since, now() - make_interval(secs => told.ago_ms / 1000))
      where s.invalidated_at is null
      order by s.id for no key update of s
    )
    update subscriptions s set invalidated_at = now(), invalidated_code = dead.code, invalidated_campaign_id = dead.campaign_id
    from dead where s.id = dead.id
    returning s.id, s.app_id as "appId", s.user_id as "userId", s.platform, s.token_version as "tokenVersion",
      s.invalidated_at as at`.execute(db)
  return rows
}

/**
 * Remembers which APNs environment accepted a token after the other environment had refused it. For all other devices the environment of the app's
 * credentials is asked first, so nothing needs to be written for them.
 */
export const rememberEnvironments = (db: Db, accepted: { subscriptionId: string; environment: 'production' | 'sandbox' }[]) =>
  sql`
    with news as (
      select s.id, told.environment from subscriptions s
        join unnest(
          ${accepted.map(({ subscriptionId }) => subscriptionId)}::text[],
          ${accepted.map(({ environment }) => environment)}::text[]
        ) as told(id, environment) on s.id = told.id
      where s.apns_environment is distinct from told.environment
      order by s.id for no key update of s
    )
    update subscriptions s set apns_environment = news.environment from news where s.id = news.id`.execute(db)
