import type { Segment } from '@herald/contracts/segment'
import type { MaskedDevice, OwnedDevice, UserSummary } from '@herald/contracts/person'
import { platforms } from '@herald/contracts/platform'
import { notFound } from '@herald/contracts/fault'
import type { UserAddress } from '@herald/contracts/user'
import { sql } from 'kysely'
import { maskAddress } from '../core/device.ts'
import { asksAboutUser, devicesMeant, reachable } from '../../segments/store/segment-sql.ts'
import { findDevice, type FoundDevice } from './subscription-reads.ts'
import type { Db } from '../../store/tables.ts'
import { userKeyOf, userKeyColumn } from './users.ts'

/** Ids are hexadecimal, so every id comes before this letter. */
const pastEveryId = 'g'
/** The last character of Unicode. Every text that begins with a prefix comes before the prefix followed by this character. */
const pastEveryCharacter = '\u{10FFFF}'

/**
 * Finds an app's next users, newest first, or those whose external id begins with `prefix`: looks at `most`, gives at most `limit`. `examinedTo`: the
 * last user that it looked at; undefined when no user follows.
 */
export async function findNewestUsers(
  db: Db,
  { appId, before = pastEveryId, prefix, most, limit }: { appId: string; before?: string; prefix?: string; most: number; limit: number },
): Promise<{ ids: string[]; examinedTo: string | undefined }> {
  // With `app_id =` the planner may take the primary key and read the users of other apps.
  const inOrder = sql`
    from users where app_id >= ${appId} and (app_id, id) < (${appId}, ${before}) order by app_id desc, id desc`
  const { rows } = await sql<{ id: string }>`
    select id from (select app_id, id, external_id ${inOrder} limit ${most}) u
    ${prefix === undefined ? sql`` : sql`where starts_with(external_id, ${prefix})`}
    order by app_id desc, id desc limit ${limit}`.execute(db)
  const ids = rows.map(({ id }) => id)
  if (ids.length === limit) return { ids, examinedTo: ids.at(-1) }
  const { rows: last } = await sql<{ id: string }>`select id ${inOrder} limit 1 offset ${most - 1}`.execute(db)
  return { ids, examinedTo: last[0]?.id }
}

/** Finds the next users of an app in the order of their ids, beginning after the id `after`. */
export async function findNextUsers(
  db: Db,
  { appId, after, limit }: { appId: string; after: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users where (app_id, id) > (${appId}, ${after ?? ''}) and (app_id, id) < (${appId}, ${pastEveryId})
    order by app_id, id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Finds users whose external id begins with `prefix`, in the same letter case: at most `limit`, in no order. */
export async function findByPrefix(db: Db, { appId, prefix, limit }: { appId: string; prefix: string; limit: number }): Promise<string[]> {
  const from = userKeyOf({ appId, externalId: prefix })
  const { rows } = await sql<{ id: string }>`
    select id from users where ${userKeyColumn} >= ${from} and ${userKeyColumn} < ${from + pastEveryCharacter} limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Finds the user who has this id, or the owner of the device that has this id. */
export async function findByEitherId(db: Db, appId: string, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users where id = ${id} and app_id || '' = ${appId}
    union select user_id from subscriptions where id = ${id} and app_id || '' = ${appId}`.execute(db)
  return rows.map((row) => row.id)
}

/** Finds which of these users have a reachable device in a segment. `now`: the instant from which relative dates count. */
export async function findMeant(db: Db, segment: Segment, ids: string[], now: Date): Promise<Set<string>> {
  const devices = devicesMeant(segment, now, {
    columns: sql`s.id, s.user_id`,
    from: sql`
      unnest(${ids}::text[]) as asked(id) cross join lateral (select * from subscriptions where user_id = asked.id offset 0) s
      ${asksAboutUser(segment) ? sql`cross join lateral (select * from users where id = s.user_id offset 0) u` : sql``}`,
    where: reachable,
  })
  const { rows } = await sql<{ id: string }>`select distinct f.user_id as id from ${devices}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const devicesByPlatform = sql.raw(platforms.map((platform) => `'${platform}', count(*) filter (where platform = '${platform}')`).join(', '))

/** Reads these users as the list of users shows them, in the order given. A user who was deleted meanwhile is left out. */
export async function findSummaries(db: Db, ids: string[]): Promise<UserSummary[]> {
  const { rows } = await sql<SummaryRow>`
    select u.id, u.external_id as "externalId", u.language, u.timezone, u.country, u.created_at as "createdAt", u.last_active_at as "lastActiveAt",
      d.devices, d.reachable
    from unnest(${ids}::text[]) with ordinality as asked(id, place)
      cross join lateral (select * from users where id = asked.id offset 0) u
      cross join lateral (
        select json_build_object(${devicesByPlatform}) as devices, count(*) filter (where ${reachable}) as reachable
        from subscriptions s where s.user_id = u.id
      ) d
    order by asked.place`.execute(db)
  return rows.map(({ createdAt, lastActiveAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    lastActiveAt: lastActiveAt.toISOString(),
  }))
}

type SummaryRow = Omit<UserSummary, 'createdAt' | 'lastActiveAt'> & { createdAt: Date; lastActiveAt: Date }

/** Finds the owner of the device with one of these addresses, by the hashes of the addresses. */
export async function findOwner(db: Db, addressHashes: Buffer[]): Promise<UserAddress | undefined> {
  return db.selectFrom('subscriptions').select('user_id as userId').where('address_hash', 'in', addressHashes).executeTakeFirst()
}

/** Reads a device with its owner and a masked address. Fault: `not_found`. */
export async function getDevice(db: Db, appId: string, id: string): Promise<OwnedDevice> {
  const found = await findDevice(db, appId, id)
  if (!found) throw notFound()
  const { externalId = null } =
    (await db.selectFrom('users').select('external_id as externalId').where('id', '=', found.userId).executeTakeFirst()) ?? {}
  return { ...maskDevice(found), user: { id: found.userId, externalId } }
}

/** Gives a device as the administration shows it, with a masked address. */
export function maskDevice({ device, address, test }: FoundDevice): MaskedDevice {
  const { keys: _, ...shown } = device
  return { ...shown, test, ...(device.platform === 'web' ? { endpoint: maskAddress(address) } : { token: maskAddress(address) }) }
}

/** A portion of an export gets no further user once its users have about this many bytes. So it has fewer users when they have many tags or devices. */
const mostBytes = 1_000_000

/**
 * Gives the first of these users, as many as fit into a portion of the export, and at least one. Postgres adds up the sizes of the users, so that the
 * process reads no more than a portion.
 */
export async function findPortion(db: Db, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, sum(bytes) over (order by id) - bytes as before from (
        select u.id, octet_length(u.tags::text) + 400
          + coalesce((select sum(octet_length(s.address) + 600) from subscriptions s where s.user_id = u.id), 0) as bytes
        from unnest(${ids}::text[]) as asked(id) cross join lateral (select id, tags from users where id = asked.id offset 0) u
      ) sized
    ) added where before < ${mostBytes}
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}
