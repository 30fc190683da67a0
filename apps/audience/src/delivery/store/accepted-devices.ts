import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import type { CircuitKey } from './circuits.ts'

/** A host of a circuit; the host is empty where all devices of a platform go to one. */
export type HostKey = CircuitKey & { host: string }
export type Accepted = HostKey & { credentialsVersion: number | null; subscriptionId: string }

/** At most this many devices are remembered for a host, newest first. */
const keptDevices = 5

/** Remembers devices that a provider accepted, one for each host. What older credentials met is forgotten, and answers to older ones change nothing. */
export const noteAccepted = (db: Db, accepted: Accepted[]) =>
  sql`
    insert into accepted_devices as known (app_id, platform, environment, host, credentials_version, subscription_ids)
    select app_id, platform, environment, host, version, array[id] from unnest(
      ${accepted.map(({ appId }) => appId)}::text[],
      ${accepted.map(({ platform }) => platform)}::text[],
      ${accepted.map(({ environment }) => environment)}::text[],
      ${accepted.map(({ host }) => host)}::text[],
      ${accepted.map(({ credentialsVersion }) => credentialsVersion)}::bigint[],
      ${accepted.map(({ subscriptionId }) => subscriptionId)}::text[]
    ) as told(app_id, platform, environment, host, version, id)
    order by 1, 2, 3, 4
    on conflict (app_id, platform, environment, host) do update set at = now(), credentials_version = excluded.credentials_version,
      subscription_ids = case when known.credentials_version is distinct from excluded.credentials_version then excluded.subscription_ids
        else (excluded.subscription_ids || array_remove(known.subscription_ids, excluded.subscription_ids[1]))[:${sql.lit(keptDevices)}] end
    where known.credentials_version is null or excluded.credentials_version is null
      or known.credentials_version <= excluded.credentials_version`.execute(db)

/**
 * Takes refused devices out of those that a host accepted before. The row stays when none is left: then the credentials are in doubt. Lock the rows
 * first (`lockHosts`), so that two finishes do not deadlock.
 */
export async function noteRefused(db: Db, refused: (HostKey & { devices: string[] })[]): Promise<void> {
  for (const { appId, platform, environment, host, devices } of refused)
    await sql`
      update accepted_devices set subscription_ids = array(select id from unnest(subscription_ids) with ordinality as one(id, no)
        where id <> all(${devices}::text[]) order by no)
      where app_id = ${appId} and platform = ${platform} and environment = ${environment} and host = ${host}
        and subscription_ids && ${devices}::text[]`.execute(db)
}

/** Locks what is known of hosts, in the order in which `noteAccepted` writes it. */
export const lockHosts = (db: Db, keys: HostKey[]) =>
  sql`
    select from accepted_devices a where (app_id, platform, environment, host) in (select * from unnest(
      ${keys.map(({ appId }) => appId)}::text[],
      ${keys.map(({ platform }) => platform)}::text[],
      ${keys.map(({ environment }) => environment)}::text[],
      ${keys.map(({ host }) => host)}::text[]
    )) order by app_id, platform, environment, host for no key update`.execute(db)

export type Met = HostKey & {
  credentialsVersion: number | null
  /** The remembered devices that would still be sent to, newest first. */
  devices: string[]
  /** Whether a device was accepted within the last hour. */
  isFresh: boolean
  /** Whether all remembered devices have been refused since they were accepted. */
  isRefused: boolean
}

/** Finds what the credentials met at hosts. A host that never accepted is not in the answer. */
export async function findMet(db: Db, keys: HostKey[]): Promise<Met[]> {
  const { rows } = await sql<Met>`
    select a.app_id as "appId", a.platform, a.environment, a.host, a.credentials_version as "credentialsVersion",
      a.at > now() - interval '1 hour' as "isFresh", a.subscription_ids = '{}' as "isRefused",
      -- Looks up each device by its key, whatever the planner's statistics are.
      array(select one.id from unnest(a.subscription_ids) with ordinality as one(id, no)
        cross join lateral (select app_id, opted_in, invalidated_at from subscriptions where id = one.id offset 0) as s
        where s.app_id = a.app_id and s.opted_in and s.invalidated_at is null order by one.no) as devices
    from accepted_devices a join unnest(
      ${keys.map(({ appId }) => appId)}::text[],
      ${keys.map(({ platform }) => platform)}::text[],
      ${keys.map(({ environment }) => environment)}::text[],
      ${keys.map(({ host }) => host)}::text[]
    ) as asked(app_id, platform, environment, host) using (app_id, platform, environment, host)`.execute(db)
  return rows
}

/** A device is invalidated with this many campaigns in which it was refused and others of its host were accepted. */
const refusedCampaigns = 3

/**
 * Counts for devices the campaigns of 30 days in which they were refused, each campaign once, for the token that was sent to and these credentials. Answers the ids of the devices for
 * which this is the third.
 */
export async function countRefused(
  db: Db,
  refused: { subscriptionId: string; tokenVersion: number; credentialsVersion: number | null; campaignId: string }[],
): Promise<ReadonlySet<string>> {
  const ids = refused.map(({ subscriptionId }) => subscriptionId)
  const { rows } = await sql<{ id: string; isLast: boolean }>`
    with refused as (
      select s.id, told.entry, array(
        select one from unnest(s.refused_in) as one
        where one like told.of || ':%' and one <> told.entry
          -- The id of a campaign begins with the second in which it was made.
          and substr(split_part(one, ':', 2), 1, 8) > to_hex(extract(epoch from now() - interval '30 days')::bigint)
      ) as before
      from subscriptions s join (
        select distinct on (id) id, token_version, token_version || '.' || version as of, token_version || '.' || version || ':' || campaign as entry from unnest(
          ${ids}::text[],
          ${refused.map(({ tokenVersion }) => tokenVersion)}::int[],
          ${refused.map(({ credentialsVersion }) => credentialsVersion ?? 0)}::bigint[],
          ${refused.map(({ campaignId }) => campaignId)}::text[]
        ) as told(id, token_version, version, campaign)
      ) as told on s.id = told.id and s.token_version = told.token_version
      where s.id = any(${ids}::text[])
      order by s.id for no key update of s
    )
    update subscriptions s set refused_in = (refused.before || refused.entry)[:${sql.lit(refusedCampaigns)}] from refused
    where s.id = any(${ids}::text[]) and s.id = refused.id
    returning s.id, cardinality(s.refused_in) >= ${sql.lit(refusedCampaigns)} as "isLast"`.execute(db)
  return new Set(rows.filter(({ isLast }) => isLast).map(({ id }) => id))
}

/** How many hosts an app may have in the table, and for how long a host that accepts nothing is kept. */
const keptHosts = 1_000

/** Forgets hosts that accepted nothing for 90 days, and of each app all but the 1,000 that accepted last; at most 5,000. Answers whether there may be more. */
export async function purgeAccepted(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from accepted_devices where ctid = any(array(
      select ctid from (
        select ctid, at, row_number() over (partition by app_id order by at desc) as no from accepted_devices
      ) as ranked
      where at < now() - interval '90 days' or no > ${sql.lit(keptHosts)} limit 5000
    ))`.execute(db)
  return numAffectedRows === 5_000n
}
