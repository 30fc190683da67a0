import { sql, type RawBuilder } from 'kysely'
import { namesUser, type NamesOfSend } from '../core/names-of-send.ts'
import { facts, subscriptionFields, userFields, type QueuedDevices } from '../core/recipient.ts'
import type { Db } from './tables.ts'

export type RecipientsAsked = {
  batchId: string
  platform: string
  /** How many of its pushes were answered in parts before. */
  from: number
  /** What its send names. */
  names: NamesOfSend
}

type Row = { place: number } & QueuedDevices

const userColumns = { externalId: 'external_id', language: 'language', timezone: 'timezone', country: 'country', createdAt: 'created_at' }
const subscriptionColumns = { appVersion: 'app_version', deviceModel: 'device_model', browser: 'browser' }

/**
 * The pushes of batches in their order, with their devices and users as they are now, in one query for all: a list per field that one of
 * their sends names. Users are looked at only for sends that need it, and of the tags only those that a batch's content names are read: a
 * user may have 100 KB of them. Each device and user is found by its key: as joins the planner, whose statistics may be of an empty table,
 * could look through all of them. Answers in the order asked; one whose batch is gone has no devices.
 */
export async function readRecipients(db: Db, asked: RecipientsAsked[]): Promise<(QueuedDevices | undefined)[]> {
  if (asked.length === 0) return []
  const has = (platform: string) => asked.some((one) => one.platform === platform)
  const names = (of: 'user' | 'subscription', field: string) => asked.some((one) => one.names[of].includes(field))
  const needs = (field: string) =>
    names('user', field) ||
    asked.some((one) => (field === 'language' && one.names.language) || (field === 'timezone' && one.names.timezone))
  const lists: RawBuilder<unknown>[] = [
    ...(has('web') ? [list('s.p256dh', 'p256dh'), list('s.auth', 'auth')] : []),
    ...(has('ios') ? [list('s.apns_environment', 'environments')] : []),
    ...userFields.filter(needs).map((field) => list(`u.${userColumns[field]}`, field)),
    ...subscriptionFields.filter((field) => names('subscription', field)).map((field) => list(`s.${subscriptionColumns[field]}`, field)),
    ...(asked.some((one) => one.names.tags.length > 0) ? [tagsNamed] : []),
  ]
  const { rows } = await sql<Row>`
    select asked.place::int as place, b.places[asked.first:] as places, array_to_string(b.subscription_ids[asked.first:], '') as "subscriptionIds",
      array_to_string(b.user_ids[asked.first:], '') as "queuedFor", devices.*
    from (
      select place, batch_id, from_place + 1 as first, reads_users, array(select jsonb_array_elements_text(tag_names)) as tag_names
      from unnest(
        ${asked.map(({ batchId }) => batchId)}::text[],
        ${asked.map(({ from }) => from)}::int[],
        ${asked.map((one) => namesUser(one.names))}::boolean[],
        ${asked.map((one) => JSON.stringify(one.names.tags))}::jsonb[]
      ) with ordinality as given(batch_id, from_place, reads_users, tag_names, place)
    ) as asked
      cross join lateral (select app_id, subscription_ids, user_ids, places from batches where id = asked.batch_id offset 0) as b
      cross join lateral (
        select ${sql.join([factsOfAll, list('s.address', 'addresses'), list('s.token_version', 'tokenVersions'), ...lists])}
        from unnest(b.subscription_ids[asked.first:], b.user_ids[asked.first:]) with ordinality as queued(subscription_id, user_id, place)
          left join lateral (select * from subscriptions where id = queued.subscription_id offset 0) as s on s.app_id = b.app_id
          left join lateral (select * from users where id = s.user_id and asked.reads_users offset 0) as u on true
      ) as devices`.execute(db)
  const found = new Map(rows.map(({ place, ...devices }) => [place, devices]))
  return asked.map((_, index) => found.get(index + 1))
}

const list = (column: string, as: string) => sql`json_agg(${sql.ref(column)} order by queued.place) as ${sql.ref(as)}`

/** A digit per device (core/recipient.ts, `facts`). */
const factsOfAll = sql`coalesce(string_agg(case when s.id is null then '0' else to_hex(${sql.lit(facts.isThere)}
  + case when s.user_id = queued.user_id then ${sql.lit(facts.isOfQueued)} else 0 end
  + case when s.invalidated_at is not null then ${sql.lit(facts.isInvalidated)} else 0 end
  + case when s.opted_in then ${sql.lit(facts.isOptedIn)} else 0 end) end, '' order by queued.place), '') as facts`

const tagsNamed = sql`json_agg(case when cardinality(asked.tag_names) > 0 then
  (select jsonb_object_agg(name, u.tags -> name) from unnest(asked.tag_names) as name where u.tags ? name) end order by queued.place) as tags`
