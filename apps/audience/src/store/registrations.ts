import { sql } from 'kysely'
import type { Device } from '../core/device.ts'
import type { PersonChanges } from '../core/person.ts'
import { sessionColumns } from './subscriptions.ts'
import type { Db } from './tables.ts'
import { personKey, splitTags } from './users.ts'

/*
 * What many registrations read and write, one statement each for all of them. Rows are found by one key each and joined to nothing, so that
 * their plan is the same from the empty table on.
 */

/** A row that somebody else holds: `wait` for it, or `pass` it over as if it were not there. */
export type IfLocked = 'wait' | 'pass'

export type LockedDevice = { id: string; userId: string; addressHash: Buffer }

/** Locks the devices at some addresses, in the order of their ids. */
export async function lockDevices(db: Db, addressHashes: Buffer[], ifLocked: IfLocked): Promise<LockedDevice[]> {
  const { rows } = await sql<LockedDevice>`
    select id, user_id as "userId", address_hash as "addressHash" from subscriptions
    where address_hash = any(${addressHashes}::bytea[])
    order by id for update ${ifLocked === 'pass' ? sql`skip locked` : sql``}`.execute(db)
  return rows
}

/** How many devices users have; who has none is not in the answer. */
export async function countDevicesOf(db: Db, userIds: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ userId: string; count: number }>`
    select user_id as "userId", count(*) as count from subscriptions where user_id = any(${userIds}::text[]) group by user_id`.execute(db)
  return new Map(rows.map(({ userId, count }) => [userId, count]))
}

export type PersonToWrite = {
  userId: string
  appId: string
  /** For a new user, or an anonymous one who gets a name; null: what is known stays. */
  externalId: string | null
  isNew: boolean
  changes: PersonChanges
  byBackend: boolean
}

/**
 * Makes users and changes users whom the caller has locked, each at most once. Answers who was written: not who was made by somebody else in
 * the meantime, nor who is of an erased app, nor an anonymous one whose new name somebody has. The caller has passed over the row of that
 * somebody because it was held; the name is looked up as a value, so that it is found by its key in a table of any size.
 */
export async function writePeople(db: Db, people: PersonToWrite[]): Promise<Set<string>> {
  if (people.length === 0) return new Set()
  const tags = people.map(({ changes }) => splitTags(changes.tags))
  const { rows } = await sql<{ id: string }>`
    with given as materialized (
      select id, app_id, external_id, is_new, new_tags::jsonb, array(select jsonb_array_elements_text(deleted::jsonb)) as deleted,
        language, timezone, country, by_backend
      from unnest(
        ${people.map(({ userId }) => userId)}::text[],
        ${people.map(({ appId }) => appId)}::text[],
        ${people.map(({ externalId }) => externalId)}::text[],
        ${people.map(({ isNew }) => isNew)}::bool[],
        ${tags.map(({ set }) => JSON.stringify(set))}::text[],
        ${tags.map(({ deleted }) => JSON.stringify(deleted))}::text[],
        ${people.map(({ changes }) => changes.language)}::text[],
        ${people.map(({ changes }) => changes.timezone)}::text[],
        ${people.map(({ changes }) => changes.country)}::text[],
        ${people.map(({ byBackend }) => byBackend)}::bool[]
      ) as given(id, app_id, external_id, is_new, new_tags, deleted, language, timezone, country, by_backend)
    ), changed as (
      update users u set
        external_id = coalesce(given.external_id, u.external_id),
        tags = (u.tags || given.new_tags) - given.deleted,
        language = coalesce(given.language, u.language),
        timezone = coalesce(given.timezone, u.timezone),
        country = coalesce(given.country, u.country),
        last_active_at = now(),
        by_backend = u.by_backend or given.by_backend
      from given
      where u.id = given.id and not given.is_new
        and (given.external_id is null or (select id from users where ${personKey} = given.app_id || ' ' || given.external_id) is null)
      returning u.id
    ), made as (
      insert into users (id, app_id, external_id, tags, language, timezone, country, by_backend)
      select id, app_id, external_id, new_tags, language, timezone, country, by_backend from given
      where is_new order by app_id, external_id
      on conflict do nothing
      returning id
    )
    select id from changed union all select id from made`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export type DeviceToWrite = { id: string; appId: string; userId: string; isNew: boolean; device: Device }

/**
 * Makes devices, and registers devices again that the caller has locked: these are revived, and their token version rises with their keys,
 * their platform or their revival, so that a late "dead" answer for what was before cannot kill them (provider-answers.ts, token version).
 * Answers which were written: not those that somebody else has made in the meantime, nor those of an erased app.
 */
export async function writeDevices(db: Db, devices: DeviceToWrite[]): Promise<Set<string>> {
  if (devices.length === 0) return new Set()
  const column = <Value>(of: (device: Device) => Value): Value[] => devices.map(({ device }) => of(device))
  const { rows } = await sql<{ id: string }>`
    with given as materialized (
      select * from unnest(
        ${devices.map(({ id }) => id)}::text[],
        ${devices.map(({ appId }) => appId)}::text[],
        ${devices.map(({ userId }) => userId)}::text[],
        ${devices.map(({ isNew }) => isNew)}::bool[],
        ${column(({ platform }) => platform)}::text[],
        ${column(({ address }) => address)}::text[],
        ${column(({ addressHash }) => addressHash)}::bytea[],
        ${column(({ keys }) => keys?.p256dh ?? null)}::text[],
        ${column(({ keys }) => keys?.auth ?? null)}::text[],
        ${column(({ appVersion }) => appVersion)}::text[],
        ${column(({ sdkVersion }) => sdkVersion)}::text[],
        ${column(({ osVersion }) => osVersion)}::text[],
        ${column(({ deviceModel }) => deviceModel)}::text[],
        ${column(({ browser }) => browser)}::text[],
        ${column(({ standalone }) => standalone)}::bool[]
      ) as given(id, app_id, user_id, is_new, platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version, device_model,
        browser, standalone)
    ), changed as (
      update subscriptions s set
        user_id = given.user_id,
        token_version = token_version + case
          when s.platform = given.platform and opted_in and invalidated_at is null
            and s.p256dh is not distinct from given.p256dh and s.auth is not distinct from given.auth
          then 0 else 1 end,
        apns_environment = case when s.platform = given.platform then apns_environment end,
        platform = given.platform,
        p256dh = given.p256dh,
        auth = given.auth,
        opted_in = true,
        invalidated_at = null,
        registered_at = now(),
        last_active_at = now(),
        ${sessionColumns},
        app_version = coalesce(given.app_version, s.app_version),
        sdk_version = coalesce(given.sdk_version, s.sdk_version),
        os_version = coalesce(given.os_version, s.os_version),
        device_model = coalesce(given.device_model, s.device_model),
        browser = coalesce(given.browser, s.browser),
        standalone = coalesce(given.standalone, s.standalone)
      from given
      where s.id = given.id and not given.is_new
      returning s.id
    ), made as (
      insert into subscriptions (id, app_id, user_id, platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version,
        device_model, browser, standalone)
      select id, app_id, user_id, platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version, device_model, browser,
        standalone
      from given
      where is_new order by app_id, address_hash
      on conflict do nothing
      returning id
    )
    select id from changed union all select id from made`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Takes users back that were made for a device which then was somebody else's. */
export const takeBackUsers = (db: Db, userIds: string[]) => sql`delete from users where id = any(${userIds}::text[])`.execute(db)
