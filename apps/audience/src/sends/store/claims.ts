import type { FrequencyCap } from '@herald/contracts/administration'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../store/tables.ts'

/** Takes devices for a wave; answers those that no wave of the campaign has taken before. */
export async function claimForWave(db: Db, campaignId: string, subscriptionIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into wave_claims (campaign_id, subscription_id)
    select ${campaignId}, id from unnest(${subscriptionIds}::text[]) as id order by id
    on conflict do nothing
    returning subscription_id as id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** What the claims `c` of a user say, to be grouped by user: whether the campaign has one already, and how many count at an instant. */
export const hasClaimed = (campaignId: string) => sql`coalesce(bool_or(c.campaign_id = ${campaignId}), false)`
export const usedAt = (at: RawBuilder<unknown>, { windowSeconds }: FrequencyCap) =>
  sql`count(*) filter (where c.at > ${at} - make_interval(secs => ${windowSeconds}))`

/**
 * Counts a campaign against the frequency cap of its users (spec: sending/frequency-cap-claims): one claim per user and campaign, whatever number of
 * devices and pages. Answers the users for whom it is one too many. The users are locked first, in the order of their ids, and
 * counted by a statement of its own, which sees what those committed who had the locks before. Nobody claims for an erased user.
 */
export async function claimCap(
  db: Db,
  { appId, campaignId, userIds, cap }: { appId: string; campaignId: string; userIds: string[]; cap: FrequencyCap },
): Promise<Set<string>> {
  const window = sql`make_interval(secs => ${cap.windowSeconds})`
  await sql`select from users where id = any(${userIds}::text[]) order by id for no key update`.execute(db)
  const { rows } = await sql<{ id: string }>`
    with counted as (
      select u.id, ${hasClaimed(campaignId)} as claimed, ${usedAt(sql`now()`, cap)} as used
      from (select id from users where id = any(${userIds}::text[])) as u
        left join cap_claims c on c.app_id = ${appId} and c.user_id = u.id
      group by u.id
    ), claims as (
      insert into cap_claims (app_id, user_id, campaign_id, expires_at)
      select ${appId}, id, ${campaignId}, now() + ${window} from counted where not claimed and used < ${cap.max} order by id
    )
    select id from counted where not claimed and used >= ${cap.max}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Removes what claims hold of a user and these devices of theirs. */
export async function removeClaims(
  db: Db,
  { appId, userId, subscriptionIds }: { appId: string; userId: string; subscriptionIds: string[] },
): Promise<void> {
  await db.deleteFrom('cap_claims').where('app_id', '=', appId).where('user_id', '=', userId).execute()
  // The key begins with the campaign: only those that still claim are asked.
  await sql`
    delete from wave_claims c using fan_outs f
    where f.app_id = ${appId} and f.waves is not null and c.campaign_id = f.campaign_id
      and c.subscription_id = any(${subscriptionIds}::text[])`.execute(db)
}

/** Removes claims that no window holds any more; at most 5,000, `true` when there may be more. */
export async function purgeCapClaims(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from cap_claims where ctid = any(array(select ctid from cap_claims where expires_at < now() limit 5000))`.execute(db)
  return numAffectedRows === 5_000n
}

/**
 * Drops the wave claims of a settled campaign, a part at a time: there may be a million. `true` when there may be more. What is
 * planned of waves stays on the row until they are gone, so that they are found again; then it is kept as what was planned.
 */
export async function clearWaves(db: Db): Promise<boolean> {
  const { rows } = await sql<{ dropped: number }>`
    with over as (
      select campaign_id from fan_outs where settled_at is not null and waves is not null limit 1 for update skip locked
    ), dropped as (
      delete from wave_claims
      where ctid = any(array(select ctid from wave_claims where campaign_id = (select campaign_id from over) limit 5000))
      returning 1
    ), counted as (select count(*) as dropped from dropped)
    update fan_outs f set waves = case when counted.dropped < 5000 then null else f.waves end,
      past_waves = case when counted.dropped < 5000 then f.waves end
    from over, counted where f.campaign_id = over.campaign_id
    returning counted.dropped`.execute(db)
  return rows.length > 0
}
