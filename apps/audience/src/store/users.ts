import { sql } from 'kysely'
import type { Person, PersonChanges } from '../core/person.ts'
import type { Db } from './tables.ts'

/**
 * Locks the users that a change of owner is about, in the order of their ids, so that two devices changing places cannot lock
 * each other out. Users that do not exist are not in the answer.
 */
export async function lockUsers(
  db: Db,
  { appId, ownerId, externalId }: { appId: string; ownerId: string | null; externalId: string | null },
): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select id, external_id as "externalId" from users
    where id = ${ownerId} or (app_id = ${appId} and external_id = ${externalId})
    order by id for no key update`.execute(db)
  return rows
}

export const insertUser = (db: Db, user: { id: string; appId: string; externalId: string | null }) =>
  db
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
    .execute()

export const nameUser = (db: Db, userId: string, externalId: string) =>
  db.updateTable('users').set({ external_id: externalId }).where('id', '=', userId).execute()

/** Merges into a user: a tag of null is deleted, a field of null stays as it was. Answers how many tags there are now. */
export async function mergeUser(db: Db, userId: string, { tags, language, timezone, country }: PersonChanges): Promise<number> {
  const { set, deleted } = splitTags(tags)
  const { rows } = await sql<{ tagCount: number }>`
    update users set
      tags = (tags || ${JSON.stringify(set)}::jsonb) - ${deleted}::text[],
      language = coalesce(${language}, language),
      timezone = coalesce(${timezone}, timezone),
      country = coalesce(${country}, country),
      last_active_at = now()
    where id = ${userId}
    returning (select count(*) from jsonb_object_keys(tags)) as "tagCount"`.execute(db)
  return rows[0]?.tagCount ?? 0
}

/** What is written and what is deleted by a change of tags. */
export function splitTags(tags: PersonChanges['tags']): { set: Record<string, string | number | boolean>; deleted: string[] } {
  const entries = Object.entries(tags)
  return {
    set: Object.fromEntries(entries.filter((entry): entry is [string, string | number | boolean] => entry[1] !== null)),
    deleted: entries.filter(([, value]) => value === null).map(([name]) => name),
  }
}

/** An anonymous user goes with the last device; an identified one stays (decisions.md 6). */
export const removeUserWithoutDevices = (db: Db, userId: string) =>
  sql`
    delete from users
    where id = ${userId} and external_id is null and not exists (select from subscriptions where user_id = ${userId})`.execute(db)
