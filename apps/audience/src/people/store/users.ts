import type { Choices } from '@herald/contracts/category'
import { notFound } from '@herald/contracts/fault'
import type { Tags } from '@herald/contracts/text'
import type { User, UserAddress } from '@herald/contracts/user'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import {
  maxTagBytes,
  maxTagsPerUser,
  tooLargeTags,
  tooManyTags,
  type TagSizes,
  type UserIdentity,
  type UserUpdate,
} from '../core/identity.ts'
import { findSubscriptionsOf } from './subscription-reads.ts'
import type { Db, UserTable } from '../../store/tables.ts'

/** The app and the external id of a user. Postgres looks up both as one text (migrations/0200). */
export type NamedUser = { appId: string; externalId: string }
export const userKeyOf = ({ appId, externalId }: NamedUser): string => `${appId} ${externalId}`
/** The indexed expression that `userKeyOf` is compared with. Only a look-up by this expression uses the index. */
export const userKeyColumn = sql<string>`(app_id || ' ' || external_id)`

/**
 * Locks users by id and by external id, in the order of their ids, so that transactions that swap the owners of two devices cannot deadlock. Leaves
 * unknown users out.
 */
export async function lockUsers(db: Db, { ids, names = [] }: { ids: string[]; names?: NamedUser[] }): Promise<UserIdentity[]> {
  const { rows } = await sql<UserIdentity>`
    with meant as materialized (
      select unnest(${ids}::text[]) as id union select id from users where ${userKeyColumn} = any(${names.map(userKeyOf)}::text[])
    )
    select id, external_id as "externalId" from users where id = any(array(select id from meant))
    order by id for no key update`.execute(db)
  return rows
}

/** Inserts a user. Fault: `not_found` (the app was erased). */
export async function insertUser(db: Db, user: { id: string; appId: string; externalId: string | null }): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values({
      id: user.id,
      app_id: user.appId,
      external_id: user.externalId,
      tags: '{}',
      language: null,
      timezone: null,
      country: null,
    })
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) throw notFound()
}

export const nameUser = (db: Db, userId: string, externalId: string) =>
  db.updateTable('users').set({ external_id: externalId }).where('id', '=', userId).execute()

/** Inserts an anonymous user with the language, timezone and country of another user. Fault: `not_found` (the app was erased). */
export async function copyUser(db: Db, fromId: string, toId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into users (id, app_id, language, timezone, country)
    select ${toId}, app_id, language, timezone, country from users where id = ${fromId}`.execute(db)
  if (numAffectedRows === 0n) throw notFound()
}

/** Gives the SQL of the sizes of a user's tags: one object of name and bytes, as `toTagSizes` reads it. */
export const tagSizesOf = (tags: string) =>
  sql<Record<string, number>>`(select json_object_agg(key, octet_length(value::text)) from jsonb_each(${sql.ref(tags)}))`
export const toTagSizes = (sizes: Record<string, number> | null): TagSizes => new Map(Object.entries(sizes ?? {}))

/**
 * Merges changes into a user: a null tag is deleted, a null field stays. Only a change by a device sets `last_active_at`. Fault: `invalid_body` at
 * `tags` (101st tag, or more than 16 KiB).
 */
export async function mergeUser(
  db: Db,
  userId: string,
  { tags, language, timezone, country }: UserUpdate,
  by: 'device' | 'backend',
): Promise<void> {
  const { set, deleted } = splitTags(tags)
  const { rows } = await sql<{ tagCount: number; tagBytes: number }>`
    update users set
      tags = (tags || ${JSON.stringify(set)}::jsonb) - ${deleted}::text[],
      language = coalesce(${language}, language),
      timezone = coalesce(${timezone}, timezone),
      country = coalesce(${country}, country),
      changed_at = case when ${isUnchanged('users', {
        tags: sql`${JSON.stringify(set)}::jsonb`,
        deleted: sql`${deleted}::text[]`,
        language: sql`${language}`,
        timezone: sql`${timezone}`,
        country: sql`${country}`,
      })} then changed_at else now() end,
      last_active_at = case when ${by === 'device'} then now() else last_active_at end
    where id = ${userId}
    returning (select count(*) from jsonb_object_keys(tags)) as "tagCount", octet_length(tags::text) as "tagBytes"`.execute(db)
  const { tagCount = 0, tagBytes = 0 } = rows[0] ?? {}
  if (Object.keys(set).length === 0) return
  if (tagCount > maxTagsPerUser) throw tooManyTags()
  if (tagBytes > maxTagBytes) throw tooLargeTags()
}

type Change = Record<'tags' | 'deleted' | 'language' | 'timezone' | 'country', RawBuilder<unknown>>

/**
 * Gives the SQL that is true if a change leaves a user as it is: all tags that it sets are there, none that it deletes, and each field is null or
 * equal.
 */
export const isUnchanged = (user: string, { tags, deleted, ...fields }: Change): RawBuilder<boolean> => sql<boolean>`(
  ${sql.ref(`${user}.tags`)} @> ${tags} and not ${sql.ref(`${user}.tags`)} ?| ${deleted}
  and ${sql.join(
    Object.entries(fields).map(
      ([name, value]) => sql`coalesce(${value}::text, ${sql.ref(`${user}.${name}`)}) is not distinct from ${sql.ref(`${user}.${name}`)}`,
    ),
    sql` and `,
  )})`

/** Gives a change whose values are the columns `new_tags`, `deleted`, `language`, `timezone` and `country` of the rows with the alias `rows`. */
export const changesOf = (rows: string): Change => ({
  tags: sql.ref(`${rows}.new_tags`),
  deleted: sql.ref(`${rows}.deleted`),
  language: sql.ref(`${rows}.language`),
  timezone: sql.ref(`${rows}.timezone`),
  country: sql.ref(`${rows}.country`),
})

/** Separates the tags that a change sets from the names of the tags that it deletes. */
export function splitTags(tags: UserUpdate['tags']): { set: Record<string, string | number | boolean>; deleted: string[] } {
  const entries = Object.entries(tags)
  return {
    set: Object.fromEntries(entries.filter((entry): entry is [string, string | number | boolean] => entry[1] !== null)),
    deleted: entries.filter(([, value]) => value === null).map(([name]) => name),
  }
}

/** Stores that a request with a secret key changed a user. An identified user with this mark is not removed after the last device has left. */
export const markByBackend = (db: Db, userId: string) =>
  db.updateTable('users').set({ by_backend: true }).where('id', '=', userId).where('by_backend', '=', false).execute()

/**
 * Gives the condition for a user of an app, by id or by external id. It compares `app_id || ''`, because with old statistics the planner might take
 * an index that begins with the plain column.
 */
const addressed = (appId: string, address: UserAddress) =>
  'userId' in address
    ? sql<boolean>`id = ${address.userId} and app_id || '' = ${appId}`
    : sql<boolean>`${userKeyColumn} = ${userKeyOf({ appId, externalId: address.externalId })}`

export async function findUserId(db: Db, appId: string, address: UserAddress): Promise<string | undefined> {
  return (await db.selectFrom('users').select('id').where(addressed(appId, address)).executeTakeFirst())?.id
}

export const findUser = (db: Db, appId: string, address: UserAddress): Promise<{ id: string; externalId: string | null } | undefined> =>
  db.selectFrom('users').select(['id', 'external_id as externalId']).where(addressed(appId, address)).executeTakeFirst()

/** Locks a user for a change; other transactions can still give the user devices. Answers the id, or undefined when there is no such user. */
export async function lockUser(db: Db, appId: string, address: UserAddress): Promise<string | undefined> {
  return (await db.selectFrom('users').select('id').where(addressed(appId, address)).forNoKeyUpdate().executeTakeFirst())?.id
}

/** Locks a user for deletion, so that no other transaction can give the user a device. Gives false when the user does not exist any more. */
export const lockForRemoval = async (db: Db, userId: string): Promise<boolean> =>
  (await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().executeTakeFirst()) !== undefined

export const removeUser = (db: Db, userId: string) => db.deleteFrom('users').where('id', '=', userId).execute()

/** Finds a user's tags; undefined when the user is not there any more. */
export const findTags = async (db: Db, userId: string): Promise<Tags | undefined> =>
  (await db.selectFrom('users').select('tags').where('id', '=', userId).executeTakeFirst())?.tags

export async function readTags(db: Db, userId: string): Promise<Tags> {
  return (await db.selectFrom('users').select('tags').where('id', '=', userId).executeTakeFirstOrThrow()).tags
}

/** Reads a user with their devices (spec: identity/user-fields). Fault: `not_found`. */
export async function getUser(db: Db, appId: string, address: UserAddress): Promise<User> {
  const user = await getUserAlone(db, appId, address)
  return { ...user, subscriptions: await findSubscriptionsOf(db, user.id) }
}

type UserAlone = Omit<User, 'subscriptions'>

/** Reads a user without their devices. Fault: `not_found`. */
export async function getUserAlone(db: Db, appId: string, address: UserAddress): Promise<UserAlone> {
  const user = await db.selectFrom('users').selectAll().where(addressed(appId, address)).executeTakeFirst()
  if (!user) throw notFound()
  return toUserAlone(user)
}

/** Reads users without their devices, in the order of their ids. */
export async function findUsersAlone(db: Db, ids: string[]): Promise<UserAlone[]> {
  const { rows } = await sql<Selectable<UserTable>>`
    select u.* from unnest(${ids}::text[]) as asked(id) cross join lateral (select * from users where id = asked.id offset 0) u
    order by u.id`.execute(db)
  return rows.map(toUserAlone)
}

const toUserAlone = (user: Selectable<UserTable>): UserAlone => ({
  id: user.id,
  ...(user.external_id === null ? {} : { externalId: user.external_id }),
  tags: user.tags,
  language: user.language,
  timezone: user.timezone,
  country: user.country,
  createdAt: user.created_at.toISOString(),
  lastActiveAt: user.last_active_at.toISOString(),
})

/** Reads the own choices of these users, by user id. Users who have chosen nothing are left out. */
export async function findChoices(db: Db, userIds: string[]): Promise<Map<string, Choices>> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'preferences'])
    .where('id', '=', sql<string>`any(${userIds})`)
    .where('preferences', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, preferences }) => [id, preferences ?? {}]))
}

/** Writes a user's own choices. Only a change by a device sets `last_active_at`. */
export const writeChoices = (db: Db, userId: string, choices: Choices, by: 'device' | 'backend') =>
  db
    .updateTable('users')
    .set({
      preferences: Object.keys(choices).length === 0 ? null : JSON.stringify(choices),
      ...(by === 'device' ? { last_active_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', userId)
    .execute()

/** Gives the external ids of these users of an app, by user id. Anonymous users are left out. */
export async function findExternalIds(db: Db, appId: string, userIds: string[]): Promise<Record<string, string>> {
  if (userIds.length === 0) return {}
  const rows = await db
    .selectFrom('users')
    .select(['id', 'external_id'])
    .where('app_id', '=', appId)
    .where('id', 'in', userIds)
    .where('external_id', 'is not', null)
    .execute()
  return Object.fromEntries(rows.map(({ id, external_id }) => [id, external_id ?? '']))
}
