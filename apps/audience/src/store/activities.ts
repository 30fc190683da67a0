import type { DeadTokens } from '@herald/contracts/batch'
import { activityHours, startTokenDays, tokensOf, type ActivityTokens, type LiveActivity } from '@herald/contracts/live-activity'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from './tables.ts'

const ageOf = (starts: boolean) => sql.lit(starts ? `${startTokenDays} days` : `${activityHours} hours`)

/** The condition that a token has not become too old (spec: activities/token-age). */
const alive = sql`changed_at > now() - case when starts then interval ${ageOf(true)} else interval ${ageOf(false)} end`

export type ActivityToken = ActivityTokens & { appId: string; subscriptionId: string; attributesType: string; token: string }

/** Counts the tokens of a device, which the caller has locked, without the named one. */
export async function countOtherTokens(trx: Db, { appId, subscriptionId, starts, name }: Omit<ActivityToken, 'token' | 'attributesType'>) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from activity_tokens t
    where app_id = ${appId} and subscription_id = ${subscriptionId} and (starts, name) <> (${starts}, ${name}) and ${alive}`.execute(trx)
  return rows[0]?.count ?? 0
}

export const writeToken = (trx: Db, { appId, subscriptionId, starts, name, attributesType, token }: ActivityToken) =>
  sql`
    insert into activity_tokens as t (app_id, subscription_id, starts, name, attributes_type, token)
    values (${appId}, ${subscriptionId}, ${starts}, ${name}, ${attributesType}, ${token})
    on conflict (app_id, subscription_id, starts, name) do update set attributes_type = excluded.attributes_type, token = excluded.token,
      token_version = t.token_version + case when t.token = excluded.token then 0 else 1 end, changed_at = now()`.execute(trx)

export const deleteToken = (db: Db, { appId, subscriptionId, activityId }: { appId: string; subscriptionId: string; activityId: string }) =>
  sql`
    delete from activity_tokens
    where app_id = ${appId} and subscription_id = ${subscriptionId} and not starts and name = ${activityId}`.execute(db)

/** The condition that a row `t` is a living token for a send. */
const isFor = (appId: RawBuilder<unknown>, activity: LiveActivity) => {
  const { starts, name } = tokensOf(activity)
  return sql`t.app_id = ${appId} and t.starts = ${starts} and t.name = ${name} and t.attributes_type = ${activity.attributesType}
    and ${alive}`
}

/** The condition that a device has a token for a send. */
export const holds = (appId: string, activity: LiveActivity, subscriptionId: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from activity_tokens t where ${isFor(sql`${appId}`, activity)} and t.subscription_id = ${subscriptionId})`

/** The tokens of a device `s` as JSON, for who reads a person; null when it has none. */
export const tokensOfDevice: RawBuilder<unknown> = sql`(
  select json_agg(json_build_object('name', t.name, 'starts', t.starts, 'attributesType', t.attributes_type, 'token', t.token,
    'changedAt', to_char(t.changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by t.starts, t.name)
  from activity_tokens t where t.app_id = s.app_id and t.subscription_id = s.id and ${alive})`

/** Selects the next devices that have a token for a send, in the order of their ids. */
export const holders = (
  appId: string,
  activity: LiveActivity,
  after: { cursor: string; boundId: string; most: number },
): RawBuilder<unknown> =>
  sql`
    select t.subscription_id from activity_tokens t
    where ${isFor(sql`${appId}`, activity)} and t.subscription_id > ${after.cursor} and t.subscription_id <= ${after.boundId}
    order by t.subscription_id limit ${sql.lit(after.most)}`

/** Says whether a device has a token for a send, for explain. */
export async function findHolders(db: Db, appId: string, activity: LiveActivity, subscriptionIds: string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select t.subscription_id as id from activity_tokens t
    where ${isFor(sql`${appId}`, activity)} and t.subscription_id = any(${subscriptionIds}::text[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Notes that a page was made of an update or an end: what is queued of earlier ones is overtaken when its batch is taken. A start overtakes nothing,
 * since it goes to devices that do not have the activity.
 */
export async function noteTold(trx: Db, appId: string, { activityId, event, timestamp }: LiveActivity): Promise<void> {
  if (event === 'start') return
  const endedAt = event === 'end' ? timestamp : null
  await sql`
    insert into activities as a (app_id, activity_id, told_at, ended_at) values (${appId}, ${activityId}, ${timestamp}, ${endedAt}::bigint)
    on conflict (app_id, activity_id) do update
      set told_at = greatest(a.told_at, excluded.told_at), ended_at = greatest(a.ended_at, excluded.ended_at)`.execute(trx)
}

/** The tokens of the devices of a batch, by device; null when a newer send has overtaken the batch's. */
export type HeldTokens = ReadonlyMap<string, { token: string; version: number }> | null

/**
 * Finds the tokens for a batch of a send to a Live Activity. An update or end is overtaken by a newer update or end, and a start by a newer end
 * (spec: activities/overtaken).
 */
export async function findHeldTokens(db: Db, batchId: string, activity: LiveActivity): Promise<HeldTokens> {
  const newest = activity.event === 'start' ? sql`a.ended_at` : sql`a.told_at`
  const { rows } = await sql<{ isOvertaken: boolean; tokens: { id: string; token: string; version: number }[] | null }>`
    select exists (
        select from activities a where a.app_id = b.app_id and a.activity_id = ${activity.activityId} and ${newest} > ${activity.timestamp}
      ) as "isOvertaken",
      (select json_agg(json_build_object('id', t.subscription_id, 'token', t.token, 'version', t.token_version)) from activity_tokens t
        where ${isFor(sql`b.app_id`, activity)} and t.subscription_id = any(b.subscription_ids)) as tokens
    from batches b where b.id = ${batchId}`.execute(db)
  const [found] = rows
  if (!found || found.isOvertaken) return null
  return new Map((found.tokens ?? []).map(({ id, token, version }) => [id, { token, version }]))
}

/** Deletes tokens that a provider called dead, unless the device has a newer one. */
export const deleteDeadTokens = (trx: Db, appId: string, { starts, name, dead }: DeadTokens) =>
  sql`
    with gone as (
      select t.subscription_id from activity_tokens t
        join unnest(
          ${dead.map(({ subscriptionId }) => subscriptionId)}::text[], ${dead.map(({ tokenVersion }) => tokenVersion)}::int[]
        ) as told(id, token_version) on t.subscription_id = told.id and t.token_version = told.token_version
      where t.app_id = ${appId} and t.starts = ${starts} and t.name = ${name}
      order by t.subscription_id for update of t
    )
    delete from activity_tokens t using gone
    where t.app_id = ${appId} and t.starts = ${starts} and t.name = ${name} and t.subscription_id = gone.subscription_id`.execute(trx)

/** Deletes at most 1,000 tokens of each kind, and activities, that are older than they can be. Gives whether there may be more. */
export async function purgeActivities(db: Db): Promise<boolean> {
  const ofActivities = await purgeTokens(db, false)
  const forStarts = await purgeTokens(db, true)
  const activities = await sql`
    with old as (
      select app_id, activity_id from activities
      where told_at < extract(epoch from now() - interval ${sql.lit(`${2 * activityHours} hours`)}) order by told_at limit 1000
      for update skip locked
    )
    delete from activities a using old where a.app_id = old.app_id and a.activity_id = old.activity_id`.execute(db)
  return [ofActivities, forStarts, activities].some(({ numAffectedRows = 0n }) => numAffectedRows >= 1_000n)
}

const purgeTokens = (db: Db, starts: boolean) =>
  sql`
    with old as (
      select app_id, subscription_id, starts, name from activity_tokens
      where starts = ${sql.lit(starts)} and changed_at <= now() - interval ${ageOf(starts)} order by changed_at limit 1000
      for update skip locked
    )
    delete from activity_tokens t using old
    where t.app_id = old.app_id and t.subscription_id = old.subscription_id and t.starts = old.starts and t.name = old.name`.execute(db)
