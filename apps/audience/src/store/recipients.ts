import { sql } from 'kysely'
import type { DeviceDetails, QueuedDevice } from '../core/recipient.ts'
import type { Db } from './tables.ts'

export type RecipientsAsked = {
  batchId: string
  /** How many of its pushes were answered in parts before. */
  from: number
  /** The tags its content names. */
  tagNames: readonly string[]
}

type Row = { asked: number; place: number; subscriptionId: string; queuedFor: string } & {
  [Field in keyof DeviceDetails]: DeviceDetails[Field] | null
}

/**
 * The pushes of batches in their order, with their devices and users as they are now, in one query for all. Of the tags only
 * those that a batch's content names are read: a user may have 100 KB of them. Answers in the order asked.
 */
export async function readRecipients(db: Db, asked: RecipientsAsked[]): Promise<QueuedDevice[][]> {
  if (asked.length === 0) return []
  const { rows } = await sql<Row>`
    select asked.place::int as asked, coalesce(b.places[queued.place], queued.place - 1)::int as place, queued.subscription_id as "subscriptionId", queued.user_id as "queuedFor",
      s.user_id as "userId", s.platform, s.address, s.p256dh, s.auth, s.token_version as "tokenVersion", s.apns_environment as environment,
      s.opted_in as "optedIn", s.invalidated_at is not null as invalidated, s.app_version as "appVersion", s.device_model as "deviceModel",
      s.browser, u.language, u.timezone, u.external_id as "externalId", u.country, u.created_at as "userCreatedAt",
      case when cardinality(asked.tag_names) > 0 then
        (select jsonb_object_agg(name, u.tags -> name) from unnest(asked.tag_names) as name where u.tags ? name)
      end as tags
    from (
      select place, batch_id, from_place, array(select jsonb_array_elements_text(tag_names)) as tag_names
      from unnest(
        ${asked.map(({ batchId }) => batchId)}::text[],
        ${asked.map(({ from }) => from)}::int[],
        ${asked.map(({ tagNames }) => JSON.stringify(tagNames))}::jsonb[]
      ) with ordinality as given(batch_id, from_place, tag_names, place)
    ) as asked
      join batches b on b.id = asked.batch_id
      cross join lateral unnest(b.subscription_ids, b.user_ids) with ordinality as queued(subscription_id, user_id, place)
      left join subscriptions s on s.id = queued.subscription_id and s.app_id = b.app_id
      left join users u on u.id = s.user_id
    where queued.place > asked.from_place
    order by asked.place, queued.place`.execute(db)

  const queued: QueuedDevice[][] = asked.map(() => [])
  for (const row of rows) {
    queued[row.asked - 1]?.push({
      place: row.place,
      subscriptionId: row.subscriptionId,
      queuedFor: row.queuedFor,
      device: isThere(row) ? row : null,
    })
  }
  return queued
}

/** A left join's device columns are all there or all null (but those that may be null by themselves). */
const isThere = (row: Row): row is Row & DeviceDetails => row.userId !== null
