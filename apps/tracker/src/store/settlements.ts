import { sql } from 'kysely'
import type { Db } from './tables.ts'

export type Settlement = { campaign_id: string; campaigns_told: boolean; audience_told: boolean }

/** Takes settlements that are not told to everybody yet; each by its key, however many wait. */
export async function takeDueSettlements(db: Db, limit: number): Promise<Settlement[]> {
  const { rows } = await sql<Settlement>`
    update settlements set due_at = now() + interval '5 seconds'
    where campaign_id = any(array(
      select campaign_id from settlements where due_at <= now() order by due_at limit ${limit} for update skip locked
    ))
    returning campaign_id, campaigns_told, audience_told`.execute(db)
  return rows
}

/** Settles what of a day is not settled, whatever its sums say, and promises to tell it; answers how many campaigns. */
export async function settleDay(db: Db, day: string): Promise<number> {
  const { rows } = await sql`
    with settled as (
      update counters set settled_at = now() where day = ${day}::date and settled_at is null and fanned_out_at is not null
      returning campaign_id
    )
    insert into settlements (campaign_id, due_at) select campaign_id, now() from settled returning campaign_id`.execute(db)
  return rows.length
}

/** One of the two has answered. What is remembered never becomes untold again. Locks in the order of ids. */
export async function markTold(db: Db, told: Settlement[]): Promise<void> {
  await sql`
    with told as materialized (
      select s.campaign_id, news.campaigns_told, news.audience_told
      from unnest(
        ${told.map(({ campaign_id }) => campaign_id)}::text[],
        ${told.map(({ campaigns_told }) => campaigns_told)}::bool[],
        ${told.map(({ audience_told }) => audience_told)}::bool[]
      ) as news(campaign_id, campaigns_told, audience_told) join settlements s on s.campaign_id = news.campaign_id
      where s.campaign_id = any(${told.map(({ campaign_id }) => campaign_id)}::text[])
      order by s.campaign_id for no key update of s
    )
    update settlements s set campaigns_told = s.campaigns_told or told.campaigns_told, audience_told = s.audience_told or told.audience_told
    from told where s.campaign_id = any(array(select campaign_id from told)) and s.campaign_id = told.campaign_id`.execute(db)
}

/** Both have answered. */
export async function deleteSettlements(db: Db, campaignIds: string[]): Promise<void> {
  await db
    .deleteFrom('settlements')
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .execute()
}
