import { notFound } from '@herald/contracts/fault'
import type { Tags } from '@herald/contracts/text'
import type { User, UserAddress } from '@herald/contracts/user'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Person, PersonChanges } from '../core/person.ts'
import { findSubscriptionsOf } from './subscription-reads.ts'
import type { Db, UserTable } from '../../store/tables.ts'

/** What a user is found by: an app and its own id for them, as one key (migrations/0070). */
export type PersonName = { appId: string; externalId: string }
export const keyOfPerson = ({ appId, externalId }: PersonName): string => `${appId} ${externalId}`
/** The indexed key of a table that has the columns of `users`. Every look-up by external id goes by it. */
export const personKey = sql<string>`(app_id || ' ' || external_id)`

/**
 * Locks the users that changes of owner are about, in the order of their ids, so that two devices changing places cannot lock
 * each other out. Users that do not exist are not in the answer.
 */
export async function lockUsers(db: Db, { ids, names = [] }: { ids: string[]; names?: PersonName[] }): Promise<Person[]> {
  const { rows } = await sql<Person>`
    with meant as materialized (
      select unnest(${ids}::text[]) as id union select id from users where ${personKey} = any(${names.map(keyOfPerson)}::text[])
    )
    select id, external_id as "externalId" from users where id = any(array(select id from meant))
    order by id for no key update`.execute(db)
  return rows
}

/** Fault `not_found`: the app was erased. */
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

/** A new anonymous user with another's language, timezone and country, and nothing else of them. Fault `not_found`: the app was erased. */
export async function copyUser(db: Db, fromId: string, toId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into users (id, app_id, language, timezone, country)
    select ${toId}, app_id, language, timezone, country from users where id = ${fromId}`.execute(db)
  if (numAffectedRows === 0n) throw notFound()
}

/**
 * Merges into a user: a tag of null is deleted, a field of null stays as it was. What a backend writes does not make the person
 * active. Answers how many tags there are now.
 */
export async function mergeUser(
  db: Db,
  userId: string,
  { tags, language, timezone, country }: PersonChanges,
  by: 'device' | 'backend',
): Promise<number> {
  const { set, deleted } = splitTags(tags)
  const { rows } = await sql<{ tagCount: number }>`
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
    returning (select count(*) from jsonb_object_keys(tags)) as "tagCount"`.execute(db)
  return rows[0]?.tagCount ?? 0
}

type Change = Record<'tags' | 'deleted' | 'language' | 'timezone' | 'country', RawBuilder<unknown>>

/** Whether a user is already as a change would make them: nothing new is set, nothing that is there is deleted, and null is no change. */
export const isUnchanged = (user: string, { tags, deleted, ...fields }: Change): RawBuilder<boolean> => sql<boolean>`(
  ${sql.ref(`${user}.tags`)} @> ${tags} and not ${sql.ref(`${user}.tags`)} ?| ${deleted}
  and ${sql.join(
    Object.entries(fields).map(
      ([name, value]) => sql`coalesce(${value}::text, ${sql.ref(`${user}.${name}`)}) is not distinct from ${sql.ref(`${user}.${name}`)}`,
    ),
    sql` and `,
  )})`

/** The change that rows of a statement hold in columns of these names. */
export const changesOf = (rows: string): Change => ({
  tags: sql.ref(`${rows}.new_tags`),
  deleted: sql.ref(`${rows}.deleted`),
  language: sql.ref(`${rows}.language`),
  timezone: sql.ref(`${rows}.timezone`),
  country: sql.ref(`${rows}.country`),
})

/** What is written and what is deleted by a change of tags. */
export function splitTags(tags: PersonChanges['tags']): { set: Record<string, string | number | boolean>; deleted: string[] } {
  const entries = Object.entries(tags)
  return {
    set: Object.fromEntries(entries.filter((entry): entry is [string, string | number | boolean] => entry[1] !== null)),
    deleted: entries.filter(([, value]) => value === null).map(([name]) => name),
  }
}

/** Remembers that a secret key wrote to a user: such a user stays, also without devices. */
export const markByBackend = (db: Db, userId: string) =>
  db.updateTable('users').set({ by_backend: true }).where('id', '=', userId).where('by_backend', '=', false).execute()

/**
 * A user of an app by id or external id. The app is compared as an expression: as a column it would offer the planner every index that
 * begins with the app, and one that it has stale statistics of may look as good as the primary key.
 */
const addressed = (appId: string, address: UserAddress) =>
  'userId' in address
    ? sql<boolean>`id = ${address.userId} and app_id || '' = ${appId}`
    : sql<boolean>`${personKey} = ${keyOfPerson({ appId, externalId: address.externalId })}`

export async function findUserId(db: Db, appId: string, address: UserAddress): Promise<string | undefined> {
  return (await db.selectFrom('users').select('id').where(addressed(appId, address)).executeTakeFirst())?.id
}

export const findUser = (db: Db, appId: string, address: UserAddress): Promise<{ id: string; externalId: string | null } | undefined> =>
  db.selectFrom('users').select(['id', 'external_id as externalId']).where(addressed(appId, address)).executeTakeFirst()

/** Locks a user for a change of what they are, not of who they are. Answers the id, or undefined when there is none. */
export async function lockUser(db: Db, appId: string, address: UserAddress): Promise<string | undefined> {
  return (await db.selectFrom('users').select('id').where(addressed(appId, address)).forNoKeyUpdate().executeTakeFirst())?.id
}

/** Locks a user so that not even a device can come to them. False: there is no such user any more. */
export const lockForRemoval = async (db: Db, userId: string): Promise<boolean> =>
  (await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().executeTakeFirst()) !== undefined

export const removeUser = (db: Db, userId: string) => db.deleteFrom('users').where('id', '=', userId).execute()

export async function readTags(db: Db, userId: string): Promise<Tags> {
  return (await db.selectFrom('users').select('tags').where('id', '=', userId).executeTakeFirstOrThrow()).tags
}

/** A user with devices, as reads answer it (spec: identity/user-fields); Fault `not_found`. */
export async function getUser(db: Db, appId: string, address: UserAddress): Promise<User> {
  const user = await getUserAlone(db, appId, address)
  return { ...user, subscriptions: await findSubscriptionsOf(db, user.id) }
}

type UserAlone = Omit<User, 'subscriptions'>

/** A user without devices; Fault `not_found`. */
export async function getUserAlone(db: Db, appId: string, address: UserAddress): Promise<UserAlone> {
  const user = await db.selectFrom('users').selectAll().where(addressed(appId, address)).executeTakeFirst()
  if (!user) throw notFound()
  return toUserAlone(user)
}

/** Users without devices, in the order of their ids. */
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

/** The external ids of those of an app's users who have one, by user id. */
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
