import { sql } from 'kysely'
import type { Device } from '../core/device.ts'
import { maxTagBytes, maxTagsPerUser, type TagSizes, type UserUpdate } from '../core/identity.ts'
import { sessionColumns } from './subscriptions.ts'
import type { Db } from '../../store/tables.ts'
import { changesOf, isUnchanged, splitTags, tagSizesOf, toTagSizes, userKeyColumn } from './users.ts'

/*
 * One statement reads the rows of many registrations, and one writes them, each row by one key: the same plan for an empty table and a large one.
 * `xmin` of the user's row stands for everything about the user, so whatever brings a device to a user must write that row.
 */

/** Locks the devices that have these addresses, in the order of their ids. Waits for transactions that have locked them. */
export async function lockDevices(db: Db, addressHashes: Buffer[]): Promise<LockedDevice[]> {
  const { rows } = await sql<LockedDevice>`
    select id, user_id as "userId", address_hash as "addressHash" from subscriptions
    where address_hash = any(${addressHashes}::bytea[])
    order by id for update`.execute(db)
  return rows
}

export type LockedDevice = { id: string; userId: string; addressHash: Buffer }

/**
 * The keys of a registration's rows. `name`: `userKeyOf` of its external id, or null. `setsTags`, `setsBytes`: number and size of its tags.
 */
export type Sought = { addressHash: Buffer; name: string | null; setsTags: number; setsBytes: number }

/**
 * A user as a registration finds it. `version` changes with every change of the row. `tagSizes` is null unless the user might get too many or too
 * large tags: reading the sizes costs more than reading the row.
 */
export type FoundUser = { id: string; externalId: string | null; version: string; tagSizes: TagSizes | null }

/**
 * What a registration finds: the device at its address with the owner, and the user with its external id (`named`). `namedDevices`: 0 for no such
 * user or the owner.
 */
export type Known = {
  device: { id: string; owner: FoundUser } | null
  named: FoundUser | null
  namedDevices: number
}

/**
 * Finds the device and the users of each registration, in the order given. It locks no row: `writeRegistrations` leaves out the registrations whose
 * rows have changed since.
 */
export async function findKnown(db: Db, sought: Sought[]): Promise<Known[]> {
  const user = sql`
    select id, external_id, xmin::text as version,
      case when asked.sets_tags > 0 and (
        (select count(*) from jsonb_object_keys(tags)) + asked.sets_tags > ${maxTagsPerUser}
        or octet_length(tags::text) + asked.sets_bytes > ${maxTagBytes}
      ) then ${tagSizesOf('tags')} end as tag_sizes
    from users`
  const { rows } = await sql<KnownRow>`
    select device.id as "deviceId",
      owner.id as "ownerId", owner.external_id as "ownerExternalId", owner.version as "ownerVersion", owner.tag_sizes as "ownerTagSizes",
      named.id as "namedId", named.external_id as "namedExternalId", named.version as "namedVersion", named.tag_sizes as "namedTagSizes",
      case when named.id is not null and named.id is distinct from owner.id
        then (select count(*) from subscriptions where user_id = named.id) end as "namedDevices"
    from unnest(
        ${sought.map(({ addressHash }) => addressHash)}::bytea[],
        ${sought.map(({ name }) => name)}::text[],
        ${sought.map(({ setsTags }) => setsTags)}::int[],
        ${sought.map(({ setsBytes }) => setsBytes)}::int[]
      ) with ordinality as asked(address_hash, name, sets_tags, sets_bytes, place)
      left join lateral (select id, user_id from subscriptions where address_hash = asked.address_hash offset 0) device on true
      left join lateral (${user} where id = device.user_id offset 0) owner on true
      left join lateral (${user} where ${userKeyColumn} = asked.name offset 0) named on true
    order by asked.place`.execute(db)
  return rows.map(toKnown)
}

type KnownRow = {
  deviceId: string | null
  ownerId: string | null
  ownerExternalId: string | null
  ownerVersion: string
  ownerTagSizes: Record<string, number> | null
  namedId: string | null
  namedExternalId: string | null
  namedVersion: string
  namedTagSizes: Record<string, number> | null
  namedDevices: number | null
}

function toKnown(row: KnownRow): Known {
  const { deviceId, ownerId, namedId } = row
  return {
    device:
      deviceId === null || ownerId === null
        ? null
        : {
            id: deviceId,
            owner: {
              id: ownerId,
              externalId: row.ownerExternalId,
              version: row.ownerVersion,
              tagSizes: row.ownerTagSizes && toTagSizes(row.ownerTagSizes),
            },
          },
    named:
      namedId === null
        ? null
        : {
            id: namedId,
            externalId: row.namedExternalId,
            version: row.namedVersion,
            tagSizes: row.namedTagSizes && toTagSizes(row.namedTagSizes),
          },
    namedDevices: row.namedDevices ?? 0,
  }
}

/** A registration as it is to be written: the user who gets the device, and the device's id and owner as they were found. */
export type Decided = {
  appId: string
  deviceId: string
  device: Device
  /** The owner of the device when it was read; null for a new device. */
  ownerId: string | null
  userId: string
  isUserNew: boolean
  /** The external id that a new user or an anonymous user gets; null when the user's external id stays as it is. */
  externalId: string | null
  changes: UserUpdate
  byBackend: boolean
}

/**
 * Writes registrations, each completely or not at all, and answers the ids of the devices written. Left out: those with rows that another transaction
 * has locked, changed or makes, and erased apps. No user or device may occur twice.
 */
export async function writeRegistrations(db: Db, registrations: Decided[], seen: FoundUser[]): Promise<Set<string>> {
  if (registrations.length === 0) return new Set()
  // A known device is opted in and valid again. Its token version rises when keys or platform change, or it was opted out or invalidated: with
  // `registered_at`, this makes a late answer "token dead" harmless.
  const known = registrations.filter(({ ownerId }) => ownerId !== null)
  // New devices come before their users, so that no user is left without one. When another transaction gave the external id to a user meanwhile, the
  // statement fails: 23505 for a known user, 23503 for a new one.
  const column = <Value>(of: (registration: Decided) => Value): Value[] => registrations.map((registration) => of(registration))
  const tags = registrations.map(({ changes }) => splitTags(changes.tags))
  const { rows } = await sql<{ id: string }>`
    with given as materialized (
      select *, given.set_tags::jsonb as new_tags, coalesce(given.deleted_tags::text[], '{}') as deleted
      from unnest(
        ${column(({ deviceId }) => deviceId)}::text[],
        ${column(({ ownerId }) => ownerId)}::text[],
        ${column(({ appId }) => appId)}::text[],
        ${column(({ userId }) => userId)}::text[],
        ${column(({ isUserNew }) => isUserNew)}::bool[],
        ${column(({ externalId }) => externalId)}::text[],
        ${tags.map(({ set }) => JSON.stringify(set))}::text[],
        ${tags.map(({ deleted }) => (deleted.length === 0 ? null : `{${deleted.map((name) => JSON.stringify(name)).join(',')}}`))}::text[],
        ${column(({ changes }) => changes.language)}::text[],
        ${column(({ changes }) => changes.timezone)}::text[],
        ${column(({ changes }) => changes.country)}::text[],
        ${column(({ byBackend }) => byBackend)}::bool[],
        ${column(({ device }) => device.platform)}::text[],
        ${column(({ device }) => device.address)}::text[],
        ${column(({ device }) => device.addressHash)}::bytea[],
        ${column(({ device }) => device.keys?.p256dh ?? null)}::text[],
        ${column(({ device }) => device.keys?.auth ?? null)}::text[],
        ${column(({ device }) => device.appVersion)}::text[],
        ${column(({ device }) => device.sdkVersion)}::text[],
        ${column(({ device }) => device.osVersion)}::text[],
        ${column(({ device }) => device.deviceModel)}::text[],
        ${column(({ device }) => device.browser)}::text[],
        ${column(({ device }) => device.standalone)}::bool[]
      ) as given(device_id, owner_id, app_id, user_id, is_user_new, external_id, set_tags, deleted_tags, language, timezone, country, by_backend,
        platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version, device_model, browser, standalone)
    ), held_devices as materialized (
      select id from subscriptions
      where id = any(${known.map(({ deviceId }) => deviceId)}::text[])
        and id || ' ' || user_id || ' ' || encode(address_hash, 'hex') = any(${known.map(asItWasFound)}::text[])
      order by id for update skip locked
    ), with_devices as materialized (
      select * from given where owner_id is null or device_id = any(array(select id from held_devices))
    ), held_users as materialized (
      select id from users
      where id = any(array(select owner_id from with_devices union select user_id from with_devices where not is_user_new))
        and id || ' ' || xmin::text = any(${seen.map(({ id, version }) => `${id} ${version}`)}::text[])
      order by id for no key update skip locked
    ), ready as materialized (
      select * from with_devices
      where (owner_id is null or owner_id = any(array(select id from held_users)))
        and (is_user_new or user_id = any(array(select id from held_users)))
    ), changed_devices as (
      update subscriptions s set
        user_id = ready.user_id,
        token_version = token_version + case
          when s.platform = ready.platform and opted_in and invalidated_at is null
            and s.p256dh is not distinct from ready.p256dh and s.auth is not distinct from ready.auth
          then 0 else 1 end,
        apns_environment = case when s.platform = ready.platform then apns_environment end,
        platform = ready.platform,
        p256dh = ready.p256dh,
        auth = ready.auth,
        opted_in = true,
        invalidated_at = null,
        registered_at = now(),
        last_active_at = now(),
        ${sessionColumns},
        app_version = coalesce(ready.app_version, s.app_version),
        sdk_version = coalesce(ready.sdk_version, s.sdk_version),
        os_version = coalesce(ready.os_version, s.os_version),
        device_model = coalesce(ready.device_model, s.device_model),
        browser = coalesce(ready.browser, s.browser),
        standalone = coalesce(ready.standalone, s.standalone)
      from ready
      where s.id = any(array(select device_id from ready where owner_id is not null)) and s.id = ready.device_id
      returning s.id
    ), cleared as (
      update badges b set badge = 0 from ready
      where ready.owner_id is not null and b.app_id = ready.app_id and b.subscription_id = ready.device_id and b.badge <> 0
    ), made_devices as (
      insert into subscriptions (id, app_id, user_id, platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version,
        device_model, browser, standalone)
      select device_id, app_id, user_id, platform, address, address_hash, p256dh, auth, app_version, sdk_version, os_version, device_model,
        browser, standalone
      from ready where owner_id is null order by address_hash
      on conflict do nothing
      returning id
    ), written as materialized (
      select * from ready where owner_id is not null or device_id = any(array(select id from made_devices))
    ), made_users as (
      insert into users (id, app_id, external_id, tags, language, timezone, country, by_backend)
      select user_id, app_id, external_id, new_tags, language, timezone, country, by_backend
      from written where is_user_new order by app_id, external_id
      on conflict do nothing
    ), changed_users as (
      update users u set
        external_id = coalesce(written.external_id, u.external_id),
        tags = (u.tags || written.new_tags) - written.deleted,
        language = coalesce(written.language, u.language),
        timezone = coalesce(written.timezone, u.timezone),
        country = coalesce(written.country, u.country),
        changed_at = case when ${isUnchanged('u', changesOf('written'))} then u.changed_at else now() end,
        last_active_at = now(),
        by_backend = u.by_backend or written.by_backend
      from written
      where u.id = any(array(select user_id from written where not is_user_new)) and u.id = written.user_id
    )
    select id from changed_devices union all select id from made_devices`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const asItWasFound = ({ deviceId, ownerId, device }: Decided): string => `${deviceId} ${ownerId} ${device.addressHash.toString('hex')}`
