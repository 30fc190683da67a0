import { createHash } from 'node:crypto'
import type { AttributedHow, StoredConversion } from '@herald/contracts/conversion'
import { mostConversionNames, mostOpenNames } from '@herald/contracts/conversion'
import { sql } from 'kysely'
import type { conversionMoves, ConversionRow } from '../core/conversion-moves.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

/**
 * The key of a conversion in its app: the UTC day on which it happened and the hash of its user and id. With the id alone, whoever has the public key
 * could claim the ids of other people's orders.
 */
export type ConversionKey = { day: string; hash: Buffer }
export const conversionKey = ({ id, at, userId }: { id: string; at: string; userId: string }): ConversionKey => ({
  day: new Date(at).toISOString().slice(0, 10),
  hash: createHash('sha256').update(`${userId} ${id}`).digest(),
})
export const nameOfKey = ({ day, hash }: ConversionKey): string => day + hash.toString('hex')

const hows = { d: 'direct', i: 'influenced' } as const satisfies Record<string, AttributedHow>
const letters = { direct: 'd', influenced: 'i' } as const
type Attributed = { campaignId: string; how: AttributedHow } | null

/** Finds which of these conversions an app has already, and what they are attributed to, by the names of their keys. */
export async function findKnownConversions(db: Db, appId: string, keys: ConversionKey[]): Promise<Map<string, Attributed>> {
  const days = keys.map(({ day }) => day)
  const { rows } = await sql<{ day: string; hash: Buffer; campaignId: string | null; how: keyof typeof hows | null }>`
    select c.day, c.id_hash as hash, encode(c.campaign_id, 'hex') as "campaignId", c.how
    from unnest(${days}::date[], ${keys.map(({ hash }) => hash)}::bytea[]) as asked(day, hash) cross join lateral (
      select * from conversions
      where conversions.day = asked.day and conversions.day = any(${[...new Set(days)]}::date[]) and app_id = ${idBytes(appId)} and id_hash = asked.hash
      offset 0
    ) c`.execute(db)
  return new Map(rows.map(({ campaignId, how, ...key }) => [nameOfKey(key), campaignId && how ? { campaignId, how: hows[how] } : null]))
}

/** Says whether an app is not deleted, and keeps it and its users for this transaction. Gives the users who are erased. */
export async function holdPeople(trx: Db, appId: string, userIds: string[]): Promise<{ isKept: boolean; erased: Set<string> }> {
  const { rows } = await sql<{ isKept: boolean; erased: string[] }>`
    select is_kept(${appId}) as "isKept",
      array(select encode(id, 'hex') from hold_users(${userIds.map(idBytes)}::bytea[]) as gone(id)) as erased`.execute(trx)
  return { isKept: rows[0]?.isKept ?? false, erased: new Set(rows[0]?.erased) }
}

/**
 * Gives those of these names that an app has, and makes the others while it has less than 50. Those in `open`, which only a public key named, are made
 * while it has less than 25.
 */
export async function takeNames(trx: Db, appId: string, names: string[], open: ReadonlySet<string>): Promise<Set<string>> {
  const find = async () => {
    const rows = await trx.selectFrom('conversion_names').select('name').where('app_id', '=', appId).execute()
    return new Set(rows.map(({ name }) => name))
  }
  const known = await find()
  if (names.every((name) => known.has(name)) || known.size >= mostConversionNames) return known
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tracker.conversion-names ${appId}`}, 0))`.execute(trx)
  const now = await find()
  const wanted = [...new Set(names)]
    .filter((name) => !now.has(name))
    .toSorted((one, other) => Number(open.has(one)) - Number(open.has(other)))
  const fresh = wanted.filter((name, place) => now.size + place < (open.has(name) ? mostOpenNames : mostConversionNames))
  if (fresh.length > 0)
    await trx
      .insertInto('conversion_names')
      .values(fresh.map((name) => ({ app_id: appId, name })))
      .execute()
  return new Set([...now, ...fresh])
}

export type NewRow = ConversionKey & {
  id: string
  userId: string
  name: string
  at: string
  value: string | null
  currency: string | null
  attributed: Attributed
}

/** Writes conversions of an app, which are sorted by key and have each key once. Gives the names of the keys that are new. */
export async function insertConversions(trx: Db, appId: string, rows: NewRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const written = await sql<{ day: string; hash: Buffer }>`
    insert into conversions (day, app_id, id_hash, id, user_id, name, at, value, currency, campaign_id, how)
    select day, ${idBytes(appId)}, hash, id, user_id, name, at, value, currency, campaign_id, how
    from unnest(
      ${rows.map(({ day }) => day)}::date[], ${rows.map(({ hash }) => hash)}::bytea[], ${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ userId }) => idBytes(userId))}::bytea[], ${rows.map(({ name }) => name)}::text[], ${rows.map(({ at }) => at)}::timestamptz[],
      ${rows.map(({ value }) => value)}::numeric[], ${rows.map(({ currency }) => currency)}::text[],
      ${rows.map(({ attributed }) => attributed && idBytes(attributed.campaignId))}::bytea[],
      ${rows.map(({ attributed }) => attributed && letters[attributed.how])}::"char"[]
    ) as told(day, hash, id, user_id, name, at, value, currency, campaign_id, how)
    on conflict do nothing
    returning day, id_hash as hash`.execute(trx)
  return new Set(written.rows.map(nameOfKey))
}

/** A user who has converted in a campaign. `day`: the campaign's. */
export type ConvertedUser = { day: string; campaignId: string; userId: string; name: string }
export const nameOfUser = ({ campaignId, userId, name }: Omit<ConvertedUser, 'day'>): string => `${campaignId} ${userId} ${name}`

/** Writes down users who have converted in campaigns, and gives the names of those who are new. Writers insert them in one order. */
export async function insertConvertedUsers(trx: Db, appId: string, users: ConvertedUser[]): Promise<Set<string>> {
  const inOrder = [...new Map(users.map((user) => [nameOfUser(user), user])).values()].toSorted((one, other) =>
    orderOf(one) < orderOf(other) ? -1 : 1,
  )
  const { rows } = await sql<{ campaignId: string; userId: string; name: string }>`
    insert into conversion_users (day, app_id, user_id, campaign_id, name)
    select day, ${idBytes(appId)}, user_id, campaign_id, name from unnest(
      ${inOrder.map(({ day }) => day)}::date[], ${inOrder.map(({ userId }) => idBytes(userId))}::bytea[],
      ${inOrder.map(({ campaignId }) => idBytes(campaignId))}::bytea[], ${inOrder.map(({ name }) => name)}::text[]
    ) as told(day, user_id, campaign_id, name)
    on conflict do nothing
    returning encode(campaign_id, 'hex') as "campaignId", encode(user_id, 'hex') as "userId", name`.execute(trx)
  return new Set(rows.map(nameOfUser))
}
const orderOf = ({ day, userId, campaignId, name }: ConvertedUser): string => `${day} ${userId} ${campaignId} ${name}`

/** Adds new conversions to the counters of campaigns, curves and hours, in one statement (migrations/0201). */
export const moveConversions = (
  trx: Db,
  { names, campaigns, hours }: ReturnType<typeof conversionMoves>,
  stripe: number,
): Promise<unknown> =>
  sql`
    select move_conversions(
      ${JSON.stringify(names)}::json, ${JSON.stringify(campaigns)}::json, ${JSON.stringify(hours)}::json, ${stripe}::smallint)`.execute(trx)

export async function findCampaignConversions(db: Db, campaignIds: string[]): Promise<(ConversionRow & { campaignId: string })[]> {
  return db
    .selectFrom('campaign_conversions')
    .select(['campaign_id as campaignId', 'variant', 'name', 'currency', 'count', 'direct', 'influenced', 'users'])
    .select(sql<string>`value::text`.as('value'))
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .orderBy('name')
    .orderBy('currency')
    .execute()
}

/** Where a list of a user's conversions goes on: after this time, in microseconds, and this key. */
export type ConversionPlace = { at: string; hash: string }

/** Finds a user's conversions, newest first, after a place. Gives at most `limit` + 1, each with its place. */
export async function findConversionsOfUser(
  db: Db,
  { appId, userId, after, limit }: { appId: string; userId: string; after: ConversionPlace | undefined; limit: number },
): Promise<(StoredConversion & { place: ConversionPlace })[]> {
  const { rows } = await sql<{
    id: string
    name: string
    at: Date
    micros: string
    hash: string
    value: string | null
    currency: string | null
    campaignId: string | null
    how: keyof typeof hows | null
  }>`
    select id, name, at, (extract(epoch from at) * 1000000)::bigint::text as micros, encode(id_hash, 'hex') as hash, value::text, currency,
      encode(campaign_id, 'hex') as "campaignId", how
    from conversions
    where user_id = ${idBytes(userId)} and app_id = ${idBytes(appId)}
      ${after ? sql`and (at, id_hash) < (to_timestamp(${after.at}::numeric / 1000000), decode(${after.hash}, 'hex'))` : sql``}
    order by at desc, id_hash desc limit ${limit + 1}`.execute(db)
  return rows.map(({ at, micros, hash, how, ...row }) => ({
    ...row,
    at: at.toISOString(),
    how: how && hows[how],
    place: { at: micros, hash },
  }))
}

/** Finds the conversions of these users that are attributed to a campaign, earliest first, by user. At most 100 of all. */
export async function findConversionsOfCampaign(
  db: Db,
  { day, campaignId, userIds }: { day: string; campaignId: string; userIds: string[] },
): Promise<Map<string, { name: string; at: string; how: AttributedHow }[]>> {
  const { rows } = await sql<{ userId: string; name: string; at: Date; how: keyof typeof hows }>`
    select encode(user_id, 'hex') as "userId", name, at, how from conversions
    where conversions.day >= ${day}::date and user_id = any(${userIds.map(idBytes)}::bytea[]) and campaign_id = ${idBytes(campaignId)}
    order by at limit 100`.execute(db)
  const byUser = Map.groupBy(rows, ({ userId }) => userId)
  return new Map(
    [...byUser].map(([userId, of]) => [userId, of.map(({ name, at, how }) => ({ name, at: at.toISOString(), how: hows[how] }))]),
  )
}

/** Marks a user as erased and waits for the transactions that may count a conversion of the user. Must be called outside a transaction. */
export async function markUserErased(db: Db, userId: string): Promise<void> {
  await sql`insert into erased_users (user_id) values (${idBytes(userId)}) on conflict do nothing`.execute(db)
  await sql`select wait_for_users(${idBytes(userId)})`.execute(db)
}

export async function deleteConversionsOfUser(db: Db, { appId, userId }: { appId: string; userId: string }): Promise<void> {
  await sql`delete from conversions where user_id = ${idBytes(userId)} and app_id = ${idBytes(appId)}`.execute(db)
  await sql`delete from conversion_users where app_id = ${idBytes(appId)} and user_id = ${idBytes(userId)}`.execute(db)
}

/** Deletes marks of users older than a day: no report that named such a user is under way any more. At most 5,000 at once; gives how many. */
export async function deleteOldErasedUsers(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from erased_users where user_id = any(array(
      select user_id from erased_users where at < now() - interval '1 day' limit 5000
    ))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes at most `limit` rows of conversions of a deleted app, and gives how many. No such row is made any more. */
export async function deleteConversionsOfApp(db: Db, appId: string, limit: number): Promise<number> {
  const app = idBytes(appId)
  const deleted = [
    await sql`
      delete from conversions c using (select day, id_hash from conversions where app_id = ${app} limit ${limit}) as gone
      where c.day = gone.day and c.app_id = ${app} and c.id_hash = gone.id_hash`.execute(db),
    await sql`
      delete from conversion_users u using (
        select day, user_id, campaign_id, name from conversion_users where app_id = ${app} limit ${limit}
      ) as gone
      where u.day = gone.day and u.app_id = ${app} and u.user_id = gone.user_id and u.campaign_id = gone.campaign_id and u.name = gone.name`.execute(
      db,
    ),
    await sql`delete from conversion_names where app_id = ${appId}`.execute(db),
  ]
  return deleted.reduce((sum, { numAffectedRows }) => sum + Number(numAffectedRows ?? 0), 0)
}
