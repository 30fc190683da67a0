import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** A settlement: a settled campaign, and which of the services campaigns and audience have been told that it has settled. */
export type Settlement = { campaignId: string; campaignsTold: boolean; audienceTold: boolean }

/** Takes due settlements, which campaigns or audience has not confirmed. Those taken are due again after 5 s. */
export async function takeDueSettlements(db: Db, limit: number): Promise<Settlement[]> {
  const { rows } = await sql<Settlement>`
    update settlements set due_at = now() + interval '5 seconds'
    where campaign_id = any(array(
      select campaign_id from settlements where due_at <= now() order by due_at limit ${limit} for update skip locked
    ))
    returning campaign_id as "campaignId", campaigns_told as "campaignsTold", audience_told as "audienceTold"`.execute(db)
  return rows
}

/**
 * Settles the campaigns of a day whose fan-out has ended and that have not settled, and gives how many it settled. The sweep tells campaigns and
 * audience of them.
 */
export async function settleDay(db: Db, day: string): Promise<number> {
  const { rows } = await sql`
    with settled as (
      update counters set settled_at = now() where day = ${day}::date and settled_at is null and fanned_out_at is not null
      returning campaign_id
    )
    insert into settlements (campaign_id, due_at) select campaign_id, now() from settled returning campaign_id`.execute(db)
  return rows.length
}

/** Notes which of campaigns and audience have confirmed settlements. A note is never taken back. Rows are locked in the order of their ids. */
export async function markTold(db: Db, told: Settlement[]): Promise<void> {
  await sql`
    with told as materialized (
      select s.campaign_id, news.campaigns_told, news.audience_told
      from unnest(
        ${told.map(({ campaignId }) => campaignId)}::text[],
        ${told.map(({ campaignsTold }) => campaignsTold)}::bool[],
        ${told.map(({ audienceTold }) => audienceTold)}::bool[]
      ) as news(campaign_id, campaigns_told, audience_told) join settlements s on s.campaign_id = news.campaign_id
      where s.campaign_id = any(${told.map(({ campaignId }) => campaignId)}::text[])
      order by s.campaign_id for no key update of s
    )
    update settlements s set campaigns_told = s.campaigns_told or told.campaigns_told, audience_told = s.audience_told or told.audience_told
    from told where s.campaign_id = any(array(select campaign_id from told)) and s.campaign_id = told.campaign_id`.execute(db)
}

/** Deletes settlements that both campaigns and audience have confirmed. */
export async function deleteSettlements(db: Db, campaignIds: string[]): Promise<void> {
  await db
    .deleteFrom('settlements')
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .execute()
}
