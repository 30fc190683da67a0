import { sql } from 'kysely'
import type { TagSizes, UserIdentity } from '../core/identity.ts'
import type { UserToWrite } from '../core/users-in-batch.ts'
import type { Db } from '../../store/tables.ts'
import { changesOf, isUnchanged, splitTags, tagSizesOf, toTagSizes } from './users.ts'

/** Reads users, whom the caller has locked, with the sizes of their tags, but not the values; users of another app are left out. */
export async function readLocked(db: Db, appId: string, ids: string[]): Promise<(UserIdentity & { tagSizes: TagSizes })[]> {
  const { rows } = await sql<UserIdentity & { appId: string; tagSizes: Record<string, number> | null }>`
    select id, app_id as "appId", external_id as "externalId", ${tagSizesOf('tags')} as "tagSizes"
    from users where id = any(${ids}::text[])`.execute(db)
  return rows.flatMap(({ tagSizes, ...user }) => (user.appId === appId ? [{ ...user, tagSizes: toTagSizes(tagSizes) }] : []))
}

/**
 * Makes new users and changes locked users, each once. Unchanged users are not written: a backend may send all every night. Answers how many were
 * made; fewer when the app was erased. Fails with 23505: external id taken.
 */
export async function writeUsersOfBatch(db: Db, appId: string, users: UserToWrite[]): Promise<number> {
  const tags = users.map(({ changes }) => splitTags(changes.tags))
  const { rows } = await sql`
    with given as materialized (
      select id, external_id, is_new, new_tags::jsonb, array(select jsonb_array_elements_text(deleted::jsonb)) as deleted,
        language, timezone, country
      from unnest(
        ${users.map(({ id }) => id)}::text[],
        ${users.map(({ externalId }) => externalId)}::text[],
        ${users.map(({ isNew }) => isNew)}::bool[],
        ${tags.map(({ set }) => JSON.stringify(set))}::text[],
        ${tags.map(({ deleted }) => JSON.stringify(deleted))}::text[],
        ${users.map(({ changes }) => changes.language)}::text[],
        ${users.map(({ changes }) => changes.timezone)}::text[],
        ${users.map(({ changes }) => changes.country)}::text[]
      ) as given(id, external_id, is_new, new_tags, deleted, language, timezone, country)
    ), changed as (
      update users u set
        tags = (u.tags || given.new_tags) - given.deleted,
        language = coalesce(given.language, u.language),
        timezone = coalesce(given.timezone, u.timezone),
        country = coalesce(given.country, u.country),
        changed_at = case when ${isUnchanged('u', changesOf('given'))} then u.changed_at else now() end,
        by_backend = true
      from given
      where u.id = given.id and not given.is_new and (
        not u.by_backend
        or (u.tags || given.new_tags) - given.deleted <> u.tags
        or coalesce(given.language, u.language) is distinct from u.language
        or coalesce(given.timezone, u.timezone) is distinct from u.timezone
        or coalesce(given.country, u.country) is distinct from u.country
      )
    )
    insert into users (id, app_id, external_id, tags, language, timezone, country, by_backend)
    select id, ${appId}, external_id, new_tags - deleted, language, timezone, country, true from given
    where is_new order by external_id
    returning id`.execute(db)
  return rows.length
}
