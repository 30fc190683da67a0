import { sql } from 'kysely'
import type { KnownDevice, KnownUser, PlannedDevice, PlannedUser } from '../core/import-lot.ts'
import { mostChoices } from '../core/choices.ts'
import type { UserIdentity } from '../core/identity.ts'
import type { Db } from '../../store/tables.ts'
import { tagSizesOf, toTagSizes, userKeyOf, userKeyColumn } from './users.ts'

/*
 * The reads and writes of one lot of an import, one or two statements each. Rows go to Postgres as one JSON text: a tenth of the cost of arrays.
 * Devices are locked before users, by id (transact-identity.ts).
 */

/** Finds devices by the hashes of their addresses in hex (`keys`). `lock`: whether to lock the devices, because the caller will change them. */
export async function findDevicesAt(db: Db, keys: string[], { lock }: { lock: boolean }): Promise<KnownDevice[]> {
  const { rows } = await sql<KnownDevice>`
    select id, encode(address_hash, 'hex') as key, user_id as "userId" from subscriptions
    where address_hash = any(array(select decode(unnest(${keys}::text[]), 'hex')))
    order by id ${lock ? sql`for update` : sql``}`.execute(db)
  return rows
}

/** Finds users by id and by external id, with the number of their devices and the sizes of their tags. `lock`: whether to lock the users. */
export async function findUsers(
  db: Db,
  { appId, ids, names, lock }: { appId: string; ids: string[]; names: string[]; lock: boolean },
): Promise<KnownUser[]> {
  if (ids.length + names.length === 0) return []
  const named = names.map((externalId) => userKeyOf({ appId, externalId }))
  const { rows } = await sql<UserIdentity & { tagSizes: Record<string, number> | null }>`
    with meant as materialized (
      select unnest(${ids}::text[]) as id union select id from users where ${userKeyColumn} = any(${named}::text[])
    )
    select id, external_id as "externalId", ${tagSizesOf('tags')} as "tagSizes" from users
    where id = any(array(select id from meant)) order by id ${lock ? sql`for no key update` : sql``}`.execute(db)
  // This is a separate statement so that it sees devices that were given to these users while the statement above waited for its locks.
  const { rows: counts } = await sql<{ userId: string; devices: number }>`
    select user_id as "userId", count(*) as devices from subscriptions where user_id = any(${rows.map(({ id }) => id)}::text[])
    group by user_id`.execute(db)
  const devicesOf = new Map(counts.map(({ userId, devices }) => [userId, devices]))
  return rows.map(({ tagSizes, ...user }) => ({ ...user, tagSizes: toTagSizes(tagSizes), devices: devicesOf.get(user.id) ?? 0 }))
}

const columnsOfUsers = sql`given(id text, external_id text, tags jsonb, language text, timezone text, country text,
  created_at timestamptz, last_active_at timestamptz, preferences jsonb)`

/**
 * Makes and changes users. Unchanged users are written too: a registration that counted their devices must see a new version (docs/decisions/0030).
 * Gives false when the app was erased. Fails with 23505 when another transaction gave the external id meanwhile.
 */
export async function writeUsers(db: Db, appId: string, users: PlannedUser[], onExisting: 'keep' | 'update'): Promise<boolean> {
  const [made, changed] = [users.filter(({ isNew }) => isNew), users.filter(({ isNew }) => !isNew)]
  if (made.length > 0) {
    const { numAffectedRows = 0n } = await sql`
      insert into users (id, app_id, external_id, tags, language, timezone, country, created_at, last_active_at, by_backend, preferences)
      select id, ${appId}, external_id, tags, language, timezone, country, created_at, last_active_at, true, preferences
      from json_to_recordset(${JSON.stringify(made.map(toGivenUser))}) as ${columnsOfUsers} order by external_id`.execute(db)
    if (numAffectedRows < BigInt(made.length)) return false
  }
  if (changed.length > 0) {
    const prefer = (column: string) =>
      onExisting === 'keep'
        ? sql`coalesce(u.${sql.ref(column)}, given.${sql.ref(column)})`
        : sql`coalesce(given.${sql.ref(column)}, u.${sql.ref(column)})`
    const tags = onExisting === 'keep' ? sql`given.tags || u.tags` : sql`u.tags || given.tags`
    const [theirs, said] = [sql`coalesce(u.preferences, '{}')`, sql`given.preferences`]
    const choices = onExisting === 'keep' ? sql`${said} || ${theirs}` : sql`${theirs} || ${said}`
    const isAsBefore = sql`u.tags = (${tags}) and ${sql.join(
      ['language', 'timezone', 'country'].map((column) => sql`${prefer(column)} is not distinct from u.${sql.ref(column)}`),
      sql` and `,
    )}`
    await sql`
      update users u set
        external_id = coalesce(u.external_id, given.external_id),
        tags = ${tags},
        changed_at = case when ${isAsBefore} then u.changed_at else now() end,
        language = ${prefer('language')},
        timezone = ${prefer('timezone')},
        country = ${prefer('country')},
        preferences = case
          when ${said} is null or (select count(*) from jsonb_object_keys(${choices})) > ${mostChoices} then u.preferences else ${choices} end,
        created_at = least(u.created_at, given.created_at),
        last_active_at = greatest(u.last_active_at, given.last_active_at),
        by_backend = true
      from json_to_recordset(${JSON.stringify(changed.map(toGivenUser))}) as ${columnsOfUsers}
      where u.id = any(${changed.map(({ id }) => id)}::text[]) and u.id = given.id`.execute(db)
  }
  return true
}

const toGivenUser = ({ id, externalId, changes, choices, createdAt, lastActiveAt }: PlannedUser) => ({
  id,
  external_id: externalId,
  ...changes,
  created_at: createdAt,
  last_active_at: lastActiveAt,
  preferences: Object.keys(choices).length === 0 ? null : choices,
})

const columnsOfDevices = sql`given(id text, user_id text, platform text, address text, key text, p256dh text, auth text, app_version text,
  sdk_version text, os_version text, device_model text, browser text, standalone boolean, opted_out boolean, session_count integer,
  created_at timestamptz, last_active_at timestamptz, registered_at timestamptz)`

/** Makes and changes devices. Gives false when the app was erased. Fails with 23505 when another transaction made the device meanwhile. */
export async function writeDevices(db: Db, appId: string, devices: PlannedDevice[]): Promise<boolean> {
  // `last_session_at` null also marks a browser that has not registered at Herald. `registered_at` is the file's last activity, or 1970, so that a
  // provider's later "dead since" still invalidates the device.
  const [made, changed] = [devices.filter(({ isNew }) => isNew), devices.filter(({ isNew }) => !isNew)]
  if (made.length > 0) {
    const { numAffectedRows = 0n } = await sql`
      insert into subscriptions (id, app_id, user_id, platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version,
        device_model, browser, standalone, opted_in, session_count, last_session_at, created_at, last_active_at, registered_at)
      select id, ${appId}, user_id, platform, address, decode(key, 'hex'), p256dh, auth, app_version, sdk_version, os_version,
        device_model, browser, standalone, not opted_out, coalesce(session_count, 0), null, created_at, last_active_at,
        coalesce(registered_at, 'epoch'::timestamptz)
      from json_to_recordset(${JSON.stringify(made.map(toGivenDevice))}) as ${columnsOfDevices} order by key`.execute(db)
    if (numAffectedRows < BigInt(made.length)) return false
  }
  if (changed.length > 0)
    await sql`
      update subscriptions s set
        user_id = given.user_id,
        token_version = token_version + case
          when s.platform = given.platform and s.p256dh is not distinct from given.p256dh and s.auth is not distinct from given.auth
          then 0 else 1 end,
        apns_environment = case when s.platform = given.platform then apns_environment end,
        platform = given.platform,
        p256dh = given.p256dh,
        auth = given.auth,
        app_version = coalesce(given.app_version, s.app_version),
        sdk_version = coalesce(given.sdk_version, s.sdk_version),
        os_version = coalesce(given.os_version, s.os_version),
        device_model = coalesce(given.device_model, s.device_model),
        browser = coalesce(given.browser, s.browser),
        standalone = coalesce(given.standalone, s.standalone),
        opted_out_at = case when s.opted_in and given.opted_out then now() else s.opted_out_at end,
        told_at = now(),
        opted_in = s.opted_in and not given.opted_out,
        session_count = greatest(s.session_count, given.session_count),
        created_at = least(s.created_at, given.created_at),
        last_active_at = greatest(s.last_active_at, given.last_active_at)
      from json_to_recordset(${JSON.stringify(changed.map(toGivenDevice))}) as ${columnsOfDevices}
      where s.id = any(${changed.map(({ id }) => id)}::text[]) and s.id = given.id`.execute(db)
  return true
}

const toGivenDevice = ({ id, key, userId, device, past, registeredAt }: PlannedDevice) => ({
  id,
  user_id: userId,
  platform: device.platform,
  address: device.address,
  key,
  p256dh: device.keys?.p256dh ?? null,
  auth: device.keys?.auth ?? null,
  app_version: device.appVersion,
  sdk_version: device.sdkVersion,
  os_version: device.osVersion,
  device_model: device.deviceModel,
  browser: device.browser,
  standalone: device.standalone,
  opted_out: past.optedOut,
  session_count: past.sessionCount,
  created_at: past.createdAt,
  last_active_at: past.lastActiveAt,
  registered_at: registeredAt,
})
