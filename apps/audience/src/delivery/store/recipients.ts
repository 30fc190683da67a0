import { sql, type RawBuilder } from 'kysely'
import { namesUser, type NamesOfSend } from '../core/names-of-send.ts'
import { facts, queuedDevices, subscriptionFields, userFields, type DevicesFound, type QueuedDevices } from '../core/recipient.ts'
import type { Db } from '../../store/tables.ts'

export type RecipientsAsked = {
  batchId: string
  platform: string
  /** How many pushes of the batch earlier answers to the dispatcher held. */
  from: number
  names: NamesOfSend
}

const userColumns = { externalId: 'external_id', language: 'language', timezone: 'timezone', country: 'country', createdAt: 'created_at' }
const subscriptionColumns = { appVersion: 'app_version', deviceModel: 'device_model', browser: 'browser' }

/**
 * Reads the pushes of batches with devices and users as they are now, in one query with a column for each field that a placeholder names. Answers in
 * the order asked; undefined for a batch that is gone.
 */
export const readRecipients = (db: Db, asked: RecipientsAsked[]): Promise<(QueuedDevices | undefined)[]> =>
  readQueued(
    db,
    asked,
    sql`
        select app_id, subscription_ids[asked.first:] as subscription_ids, user_ids[asked.first:] as user_ids, places[asked.first:] as places
        from batches where id = asked.batch_id offset 0`,
  )

/** Reads devices and their users like `readRecipients`, but for devices that are in no batch: as if a send to them were queued now. */
export const readDevices = async (
  db: Db,
  {
    appId,
    subscriptionIds,
    userIds,
    ...asked
  }: Pick<RecipientsAsked, 'platform' | 'names'> & { appId: string; subscriptionIds: string[]; userIds: string[] },
): Promise<QueuedDevices | undefined> => {
  const batch = sql`
    select ${appId}::text as app_id, ${subscriptionIds}::text[] as subscription_ids, ${userIds}::text[] as user_ids, null::int[] as places`
  return (await readQueued(db, [{ ...asked, batchId: '', from: 0 }], batch))[0]
}

/**
 * Runs the query. One index scan finds a batch's devices, and its users, in the order of their ids, usually that of the batch: a look-up for each
 * device cost three times as much.
 */
async function readQueued(db: Db, asked: RecipientsAsked[], batch: RawBuilder<unknown>): Promise<(QueuedDevices | undefined)[]> {
  if (asked.length === 0) return []
  const has = (platform: string) => asked.some((one) => one.platform === platform)
  const names = (of: 'user' | 'subscription', field: string) => asked.some((one) => one.names[of].includes(field))
  const needs = (field: string) =>
    names('user', field) ||
    asked.some((one) => (field === 'language' && one.names.language) || (field === 'timezone' && one.names.timezone))
  const hasCategory = asked.some((one) => one.names.category !== undefined)
  const ofDevices = [
    ...(has('web') ? [list('s.p256dh', 'p256dh'), list('s.auth', 'auth')] : []),
    ...(has('ios') ? [environments] : []),
    ...subscriptionFields.filter((field) => names('subscription', field)).map((field) => list(`s.${subscriptionColumns[field]}`, field)),
  ]
  const ofUsers = [
    ...userFields.filter(needs).map((field) => list(`u.${userColumns[field]}`, field)),
    ...(asked.some((one) => one.names.tags.length > 0) ? [tagsNamed] : []),
    ...(hasCategory ? [choices] : []),
  ]
  const categories = hasCategory ? sql`, ${asked.map((one) => one.names.category?.id ?? null)}::text[]` : sql``
  const users = ofUsers.length > 0 ? queuedUsers(ofUsers) : sql``
  const { rows } = await sql<{ place: number } & DevicesFound>`
    select asked.place::int as place, b.places, array_to_string(b.subscription_ids, '') as "subscriptionIds",
      array_to_string(b.user_ids, '') as "queuedFor", devices.* ${ofUsers.length > 0 ? sql`, queued_users.*` : sql``}
    from (
      select place, batch_id, from_place + 1 as first, reads_users, array(select jsonb_array_elements_text(tag_names)) as tag_names${hasCategory ? sql`, category` : sql``}
      from unnest(
        ${asked.map(({ batchId }) => batchId)}::text[],
        ${asked.map(({ from }) => from)}::int[],
        ${asked.map((one) => namesUser(one.names))}::boolean[],
        ${asked.map((one) => JSON.stringify(one.names.tags))}::jsonb[] ${categories}
      ) with ordinality as given(batch_id, from_place, reads_users, tag_names, ${hasCategory ? sql`category, ` : sql``}place)
    ) as asked
      cross join lateral (${batch}
      ) as b
      cross join lateral (
        select string_agg(s.id, '') as "idsFound", string_agg(s.user_id, '') as owners,
          ${sql.join([factsOfAll, list('s.address', 'addresses'), list('s.token_version', 'tokenVersions'), ...ofDevices])}
        from (select * from subscriptions where id = any(b.subscription_ids) and app_id || '' = b.app_id order by id) as s
      ) as devices
      ${users}`.execute(db)
  const found = new Map(rows.map(({ place, ...devices }) => [place, devices]))
  return asked.map((_, index) => {
    const devices = found.get(index + 1)
    return devices && queuedDevices(devices)
  })
}

/** Reads the users for whom the pushes of a batch were queued, each once. A user who became the owner of a device later is not sent to. */
const queuedUsers = (lists: RawBuilder<unknown>[]) => sql`
  cross join lateral (
    select string_agg(u.id, '') as "userIdsFound", ${sql.join(lists)}
    from (select * from users where id = any(b.user_ids) and asked.reads_users order by id) as u
  ) as queued_users`

/** Gives a column's values as a list; null when no row was found. */
const list = (column: string, as: string) => sql`json_agg(${sql.ref(column)}) as ${sql.ref(as)}`

const digit = (sum: number) => sql.lit(sum.toString(16))

/** One digit for each device (`facts` of core/recipient.ts). Whether the device belongs to another user follows from `owners`. */
const factsOfAll = sql`string_agg(case
  when s.invalidated_at is null then case when s.opted_in then ${digit(facts.isThere + facts.isOptedIn)} else ${digit(facts.isThere)} end
  when s.opted_in then ${digit(facts.isThere + facts.isInvalidated + facts.isOptedIn)} else ${digit(facts.isThere + facts.isInvalidated)}
  end, '') as facts`

/** One character for each device: `p` (production), `s` (sandbox), or a hyphen when no environment is remembered. */
const environments = sql`string_agg(coalesce(left(s.apns_environment, 1), '-'), '') as environments`

/** The users' own choices about the category of their batch's send. */
const choices = sql`json_agg(u.preferences -> asked.category) as choices`

/** The named tags. A user's tags, up to 16 KiB, are unpacked once: once for each name took longer than the statement may. */
const tagsNamed = sql`json_agg(case when cardinality(asked.tag_names) > 0 then
  (select jsonb_object_agg(key, value) from jsonb_each(u.tags) where key = any(asked.tag_names)) end) as tags`
