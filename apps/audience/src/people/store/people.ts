import type { Segment } from '@herald/contracts/segment'
import type { MaskedDevice, OwnedDevice, PersonSummary } from '@herald/contracts/person'
import type { Platform } from '@herald/contracts/platform'
import { notFound } from '@herald/contracts/fault'
import type { UserAddress } from '@herald/contracts/user'
import { sql } from 'kysely'
import { maskAddress } from '../core/mask.ts'
import { asksAboutUser, devicesMeant, reachable } from '../../segments/store/segment-sql.ts'
import { findDevice, type FoundDevice } from './subscription-reads.ts'
import type { Db } from '../../store/tables.ts'
import { keyOfPerson, personKey } from './users.ts'

/** Ids are hexadecimal: every id of an app comes before this. */
const pastEveryId = 'g'
/** The last character there is: what begins with a text lies before the text and this. */
const pastEveryCharacter = '\u{10FFFF}'

/**
 * The next users of an app, the newest first, among the next `most`: those whose external id begins with `prefix`, or all. `examinedTo`: the last that was looked at
 * when there are more. Asked for as a range of the index by app: with `app_id = …` the planner may take the primary key, and walk through the users of other apps.
 */
export async function findNewestUsers(
  db: Db,
  { appId, before = pastEveryId, prefix, most, limit }: { appId: string; before?: string; prefix?: string; most: number; limit: number },
): Promise<{ ids: string[]; examinedTo: string | undefined }> {
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

/** The next users of an app in the order of their ids, after one. */
export async function findNextUsers(
  db: Db,
  { appId, after, limit }: { appId: string; after: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users where (app_id, id) > (${appId}, ${after ?? ''}) and (app_id, id) < (${appId}, ${pastEveryId})
    order by app_id, id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Users whose external id begins so, in its own letter case: at most `limit`, in no order. */
export async function findByPrefix(db: Db, { appId, prefix, limit }: { appId: string; prefix: string; limit: number }): Promise<string[]> {
  const from = keyOfPerson({ appId, externalId: prefix })
  const { rows } = await sql<{ id: string }>`
    select id from users where ${personKey} >= ${from} and ${personKey} < ${from + pastEveryCharacter} limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The user who has this id, or a device that has. */
export async function findByEitherId(db: Db, appId: string, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users where id = ${id} and app_id || '' = ${appId}
    union select user_id from subscriptions where id = ${id} and app_id || '' = ${appId}`.execute(db)
  return rows.map((row) => row.id)
}

/** Those of these users of whom a segment means a device that can be reached. `now`: what relative dates count from. */
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

/** What a list shows of these users, in the order given; who has gone meanwhile is left out. */
export async function findSummaries(db: Db, ids: string[]): Promise<PersonSummary[]> {
  const { rows } = await sql<SummaryRow>`
    select u.id, u.external_id as "externalId", u.language, u.timezone, u.country, u.created_at as "createdAt", u.last_active_at as "lastActiveAt",
      d.ios, d.android, d.web, d.reachable
    from unnest(${ids}::text[]) with ordinality as asked(id, place)
      cross join lateral (select * from users where id = asked.id offset 0) u
      cross join lateral (
        select count(*) filter (where platform = 'ios') as ios, count(*) filter (where platform = 'android') as android,
          count(*) filter (where platform = 'web') as web, count(*) filter (where ${reachable}) as reachable
        from subscriptions s where s.user_id = u.id
      ) d
    order by asked.place`.execute(db)
  return rows.map(({ ios, android, web, createdAt, lastActiveAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    lastActiveAt: lastActiveAt.toISOString(),
    devices: { ios, android, web },
  }))
}

type SummaryRow = Record<Platform, number> &
  Omit<PersonSummary, 'devices' | 'createdAt' | 'lastActiveAt'> & { createdAt: Date; lastActiveAt: Date }

/** Whose device has this address, by its hash. */
export async function findOwner(db: Db, addressHash: Buffer): Promise<UserAddress | undefined> {
  return db.selectFrom('subscriptions').select('user_id as userId').where('address_hash', '=', addressHash).executeTakeFirst()
}

/** A device with its owner; Fault `not_found`. */
export async function getDevice(db: Db, appId: string, id: string): Promise<OwnedDevice> {
  const found = await findDevice(db, appId, id)
  if (!found) throw notFound()
  const { externalId = null } =
    (await db.selectFrom('users').select('external_id as externalId').where('id', '=', found.userId).executeTakeFirst()) ?? {}
  return { ...maskDevice(found), user: { id: found.userId, externalId } }
}

/** A device as the administration shows it. */
export function maskDevice({ device, address, test }: FoundDevice): MaskedDevice {
  const { keys: _, ...shown } = device
  return { ...shown, test, ...(device.platform === 'web' ? { endpoint: maskAddress(address) } : { token: maskAddress(address) }) }
}

/** Bytes of a portion of the export, about: a page of users with many tags or devices ends before it is full. */
const mostBytes = 1_000_000

/** As many of these users, from the first on, as make a portion: one at least. Sizes are added up here, so that no more than a portion is ever in memory. */
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
