import type { FrequencyCap } from '@herald/contracts/administration'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../store/tables.ts'

/** Claims devices for a wave; answers the devices that no earlier wave of the campaign had claimed. */
export async function claimForWave(db: Db, campaignId: string, subscriptionIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into wave_claims (campaign_id, subscription_id)
    select ${campaignId}, id from unnest(${subscriptionIds}::text[]) as id order by id
    on conflict do nothing
    returning subscription_id as id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** SQL over a user's cap claims `c`: whether the campaign has one already, and how many are within the cap's window at an instant. */
export const hasClaimed = (campaignId: string) => sql`coalesce(bool_or(c.campaign_id = ${campaignId}), false)`
export const usedAt = (at: RawBuilder<unknown>, { windowSeconds }: FrequencyCap) =>
  sql`count(*) filter (where c.at > ${at} - make_interval(secs => ${windowSeconds}))`

/**
 * Counts a campaign against its users' frequency cap (spec: sending/frequency-cap-claims), once for each user, and answers the users for whom it is
 * one too many. A second statement counts, because it sees claims committed before the locks.
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

/** Deletes all cap claims of a user, and the wave claims of these devices of that user. */
export async function removeClaims(
  db: Db,
  { appId, userId, subscriptionIds }: { appId: string; userId: string; subscriptionIds: string[] },
): Promise<void> {
  await db.deleteFrom('cap_claims').where('app_id', '=', appId).where('user_id', '=', userId).execute()
  // The primary key begins with the campaign, so the claims are looked up for each campaign of the app that may have some.
  await sql`
    delete from wave_claims c using fan_outs f
    where f.app_id = ${appId} and f.waves is not null and c.campaign_id = f.campaign_id
      and c.subscription_id = any(${subscriptionIds}::text[])`.execute(db)
}

/** Deletes at most 5,000 claims that are no longer in the window of their cap. Answers whether there may be more. */
export async function purgeCapClaims(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from cap_claims where ctid = any(array(select ctid from cap_claims where expires_at < now() limit 5000))`.execute(db)
  return numAffectedRows === 5_000n
}
