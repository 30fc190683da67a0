import type { KeyKind } from '@herald/contracts/administration'
import { notFound } from '@herald/contracts/fault'
import type { Platform } from '@herald/contracts/platform'
import type { PatchSubscription, SessionBody } from '@herald/contracts/subscription'
import { sql } from 'kysely'
import type { Device } from '../core/device.ts'
import { sessionGapMinutes } from '../core/identity.ts'
import type { PersonChanges } from '../core/person.ts'
import type { Db } from './tables.ts'
import { splitTags } from './users.ts'

export type Registered = { id: string; platform: Platform; userId: string }

/** A device that comes back within this of its last session's start is still in it. */
const newSession = sql`(last_session_at is null or last_session_at <= now() - make_interval(mins => ${sql.lit(sessionGapMinutes)}))`
const sessionColumns = sql`
  session_count = session_count + case when ${newSession} then 1 else 0 end,
  last_session_at = case when ${newSession} then now() else last_session_at end`

const reportedColumns = (device: Device) => sql`
  app_version = coalesce(${device.appVersion}, app_version),
  sdk_version = coalesce(${device.sdkVersion}, sdk_version),
  os_version = coalesce(${device.osVersion}, os_version),
  device_model = coalesce(${device.deviceModel}, device_model),
  browser = coalesce(${device.browser}, browser),
  standalone = coalesce(${device.standalone}::boolean, standalone)`

/**
 * The app start of a known device, which is nearly every registration: one statement, when neither owner, tags, keys nor
 * reachability change. Undefined: something does, or the device is unknown; nothing was written then.
 */
export async function refreshSubscription(
  db: Db,
  {
    appId,
    device,
    externalId,
    changes,
    keyKind,
  }: { appId: string; device: Device; externalId: string | null; changes: PersonChanges; keyKind?: KeyKind | undefined },
): Promise<Registered | undefined> {
  const { set, deleted } = splitTags(changes.tags)
  const { rows } = await sql<Registered>`
    with known as (
      select s.id, s.user_id from subscriptions s join users u on u.id = s.user_id
      where s.app_id = ${appId} and s.address_hash = ${device.addressHash}
        and (${externalId}::text is null or u.external_id = ${externalId})
        and u.tags @> ${JSON.stringify(set)}::jsonb and not u.tags ?| ${deleted}::text[]
    ), refreshed as (
      update subscriptions set registered_at = now(), last_active_at = now(), ${sessionColumns}, ${reportedColumns(device)}
      from known
      where subscriptions.id = known.id and subscriptions.user_id = known.user_id
        and platform = ${device.platform} and opted_in and invalidated_at is null
        and p256dh is not distinct from ${device.keys?.p256dh ?? null} and auth is not distinct from ${device.keys?.auth ?? null}
      returning subscriptions.id, platform, subscriptions.user_id as "userId"
    ), person as (
      update users set
        language = coalesce(${changes.language}, language),
        timezone = coalesce(${changes.timezone}, timezone),
        country = coalesce(${changes.country}, country),
        last_active_at = now(),
        by_backend = by_backend or ${keyKind !== 'public'}
      from refreshed where users.id = refreshed."userId"
    )
    select id, platform, "userId" from refreshed`.execute(db)
  return rows[0]
}

/** Locks a device, by its id or its address, and answers whose it is, or undefined when the app has none such. */
export async function lockSubscription(
  db: Db,
  { appId, ...by }: { appId: string } & ({ id: string } | { addressHash: Buffer }),
): Promise<{ id: string; userId: string } | undefined> {
  return db
    .selectFrom('subscriptions')
    .select(['id', 'user_id as userId'])
    .where('app_id', '=', appId)
    .where((eb) => ('id' in by ? eb('id', '=', by.id) : eb('address_hash', '=', by.addressHash)))
    .forUpdate()
    .executeTakeFirst()
}

export type LockedAt = { id: string; userId: string; addressHash: Buffer }

/** Locks the devices at some addresses of an app, in the order of their ids. */
export const lockSubscriptionsAt = (db: Db, appId: string, addressHashes: Buffer[]): Promise<LockedAt[]> =>
  db
    .selectFrom('subscriptions')
    .select(['id', 'user_id as userId', 'address_hash as addressHash'])
    .where('app_id', '=', appId)
    .where('address_hash', 'in', addressHashes)
    .orderBy('id')
    .forUpdate()
    .execute()

export const isAddressTaken = async (db: Db, appId: string, addressHash: Buffer): Promise<boolean> =>
  (await db
    .selectFrom('subscriptions')
    .select('id')
    .where('app_id', '=', appId)
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()) !== undefined

/** Locks all devices of a user, in the order of their ids, and answers these. */
export async function lockSubscriptionsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('subscriptions').select('id').where('user_id', '=', userId).orderBy('id').forUpdate().execute()
  return rows.map(({ id }) => id)
}

/** Fault `not_found`: the app was erased. */
export async function insertSubscription(
  db: Db,
  { id, appId, userId, device }: { id: string; appId: string; userId: string; device: Device },
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('subscriptions')
    .values({
      id,
      app_id: appId,
      user_id: userId,
      platform: device.platform,
      address: device.address,
      address_hash: device.addressHash,
      p256dh: device.keys?.p256dh ?? null,
      auth: device.keys?.auth ?? null,
      apns_environment: null,
      app_version: device.appVersion,
      sdk_version: device.sdkVersion,
      os_version: device.osVersion,
      device_model: device.deviceModel,
      browser: device.browser,
      standalone: device.standalone,
      invalidated_at: null,
    })
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) throw notFound()
}

/**
 * A known device registers again: it is revived, and its token version rises with its keys, its platform or its revival, so
 * that a late "dead" answer for what was before cannot kill it (providers.md, Token version).
 */
export const updateSubscription = (db: Db, { id, userId, device }: { id: string; userId: string; device: Device }) =>
  sql`
    update subscriptions set
      user_id = ${userId},
      token_version = token_version + case
        when platform = ${device.platform} and opted_in and invalidated_at is null
          and p256dh is not distinct from ${device.keys?.p256dh ?? null} and auth is not distinct from ${device.keys?.auth ?? null}
        then 0 else 1 end,
      apns_environment = case when platform = ${device.platform} then apns_environment end,
      platform = ${device.platform},
      p256dh = ${device.keys?.p256dh ?? null},
      auth = ${device.keys?.auth ?? null},
      opted_in = true,
      invalidated_at = null,
      registered_at = now(),
      last_active_at = now(),
      ${sessionColumns}, ${reportedColumns(device)}
    where id = ${id}`.execute(db)

/** Gives a device to another user; whoever does it has locked both. */
export const giveSubscription = (db: Db, id: string, userId: string) =>
  db
    .updateTable('subscriptions')
    .set({ user_id: userId, last_active_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()

/** What a device says about itself; undefined: nothing, what is known stays. Undefined: the app has no such device. */
export async function patchSubscription(
  db: Db,
  { appId, subscriptionId, changes }: { appId: string; subscriptionId: string; changes: PatchSubscription },
): Promise<{ id: string; optedIn: boolean } | undefined> {
  return db
    .updateTable('subscriptions')
    .set({
      ...(changes.optedIn === undefined ? {} : { opted_in: changes.optedIn }),
      ...(changes.appVersion === undefined ? {} : { app_version: changes.appVersion }),
      ...(changes.osVersion === undefined ? {} : { os_version: changes.osVersion }),
      ...(changes.deviceModel === undefined ? {} : { device_model: changes.deviceModel }),
    })
    .where('id', '=', subscriptionId)
    .where('app_id', '=', appId)
    .returning(['id', 'opted_in as optedIn'])
    .executeTakeFirst()
}

/** The app came to the foreground: device and owner are active now, and it may be a new session. Undefined: no such device. */
export async function startSession(
  db: Db,
  { appId, subscriptionId, session }: { appId: string; subscriptionId: string; session: SessionBody },
): Promise<{ id: string; sessionCount: number; lastSessionAt: Date } | undefined> {
  const { rows } = await sql<{ id: string; sessionCount: number; lastSessionAt: Date }>`
    with started as (
      update subscriptions set last_active_at = now(), ${sessionColumns},
        app_version = coalesce(${session.appVersion ?? null}, app_version), os_version = coalesce(${session.osVersion ?? null}, os_version)
      where id = ${subscriptionId} and app_id = ${appId}
      returning id, user_id, session_count, last_session_at
    ), person as (
      update users set last_active_at = now() from started where users.id = started.user_id
    )
    select id, session_count as "sessionCount", last_session_at as "lastSessionAt" from started`.execute(db)
  return rows[0]
}

/**
 * A browser's new endpoint and keys in its row. What was said of the old one, that it is dead, does not hold for the new; an
 * opt-out is the person's choice and stays.
 */
export const moveEndpoint = (
  db: Db,
  id: string,
  { addressHash, endpoint, keys }: { addressHash: Buffer; endpoint: string; keys: { p256dh: string; auth: string } },
) =>
  db
    .updateTable('subscriptions')
    .set((eb) => ({
      address: endpoint,
      address_hash: addressHash,
      ...keys,
      token_version: eb('token_version', '+', 1),
      invalidated_at: null,
      registered_at: sql<Date>`now()`,
      last_active_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .execute()

/**
 * Removes devices and when they last got a push; whoever does it has locked them. What a finish that is under way notes of them afterwards
 * `purgeGoneNotes` removes.
 */
export async function deleteSubscriptions(db: Db, ids: string[]): Promise<void> {
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

/** `agoMs`: when the provider was asked, milliseconds before now; `deadSince`: since when the token is dead by the provider's clock (ISO), if it says so. */
export type DeadToken = { subscriptionId: string; tokenVersion: number; agoMs: number; deadSince: string | null }
export type Invalidated = { id: string; appId: string; userId: string; platform: Platform; tokenVersion: number; at: Date }

/**
 * Invalidates what a provider called dead: only the version of the token that it was told of, only if the device has not
 * registered since, and once, however many sends found it out. Answers those it was the first for. Both moments are held against the
 * registration by this database's clock: a provider's own clock can move it to an earlier moment only.
 */
export async function invalidateDead(db: Db, dead: DeadToken[]): Promise<Invalidated[]> {
  const { rows } = await sql<Invalidated>`
    with dead as (
      select s.id from subscriptions s
        join unnest(
          ${dead.map(({ subscriptionId }) => subscriptionId)}::text[],
          ${dead.map(({ tokenVersion }) => tokenVersion)}::int[],
          ${dead.map(({ agoMs }) => agoMs)}::float8[],
          ${dead.map(({ deadSince }) => deadSince)}::timestamptz[]
        ) as told(id, token_version, ago_ms, dead_since)
          on s.id = told.id and s.token_version = told.token_version
            and s.registered_at < least(told.dead_since, now() - make_interval(secs => told.ago_ms / 1000))
      where s.invalidated_at is null
      order by s.id for no key update of s
    )
    update subscriptions s set invalidated_at = now()
    from dead where s.id = dead.id
    returning s.id, s.app_id as "appId", s.user_id as "userId", s.platform, s.token_version as "tokenVersion",
      s.invalidated_at as at`.execute(db)
  return rows
}

/** Remembers which APNs environment accepted a token, where that is news: one write in a token's life. */
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
