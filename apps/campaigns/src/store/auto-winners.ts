import type { Experiment } from '@herald/contracts/campaign'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** An experiment that is to pick its winner by itself. `minutes`: how long ago its last push was sent; null while it is under way. */
export type Undecided = { id: string; appId: string; status: CampaignStatus; experiment: Experiment; minutes: number | null }

/**
 * Takes experiments that are due for a look, and makes each due again in a minute: when this process dies another looks then. Two sweeps never take
 * the same one.
 */
export async function takeUndecided(db: Db, limit: number): Promise<Undecided[]> {
  const { rows } = await sql<Undecided>`
    with due as materialized (
      select id from campaigns where winner_due_at <= now() order by winner_due_at limit ${limit} for update skip locked
    )
    update campaigns c set winner_due_at = now() + interval '1 minute' where c.id = any(array(select id from due))
    returning c.id, c.app_id as "appId", c.status, c.experiment, (extract(epoch from now() - c.settled_at) / 60)::float8 as minutes`.execute(
    db,
  )
  return rows
}

/** In how many milliseconds the next experiment is due for a look; undefined when there is none. */
export async function nextWinnerDueInMs(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ inMs: number }>`
    select greatest(0, extract(epoch from winner_due_at - now()) * 1000)::float8 as "inMs" from campaigns
    where winner_due_at is not null order by winner_due_at limit 1`.execute(db)
  return rows[0]?.inMs
}

/** Says that an experiment needs no further look. */
export const markDecided = (db: Db, id: string): Promise<unknown> =>
  sql`update campaigns set winner_due_at = null where id = ${id} and winner_due_at is not null`.execute(db)
