import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** At most this many campaigns of an app are counted by status. Counting them takes 10 ms, since Postgres reads nothing but the index. */
const mostCounted = 100_000
const mostListed = 10
/** At most this many paused campaigns, and as many failed ones, are looked at to find those to list. */
const mostLooked = 1_000

/** Counts an app's campaigns by status, without notifications. A status that no campaign has is absent from the answer. */
export async function countByStatus(db: Db, appId: string): Promise<{ status: CampaignStatus; count: number }[]> {
  const { rows } = await sql<{ status: CampaignStatus; count: number }>`
    select status, count(*) as count from (
      select status from campaigns where app_id = ${appId} and not transactional order by status limit ${mostCounted}
    ) as looked group by status`.execute(db)
  return rows
}

/** Finds at most 10 scheduled campaigns and active recurrences of an app, the next due first. A status is one range of the index, by due time. */
export async function findNext(db: Db, appId: string): Promise<{ id: string; name: string; dueAt: Date; schedule: string }[]> {
  const ofStatus = (status: CampaignStatus) => sql`(
    select id, name, due_at as "dueAt", schedule ->> 'type' as schedule from campaigns
    where app_id = ${appId} and not transactional and status = ${status} and due_at is not null order by due_at limit ${mostListed}
  )`
  const { rows } = await sql<{ id: string; name: string; dueAt: Date; schedule: string }>`
    select * from (${ofStatus('scheduled')} union all ${ofStatus('active')}) as next order by "dueAt", id limit ${mostListed}`.execute(db)
  return rows
}

/** Finds at most 10 paused campaigns of an app, the longest pause first. */
export async function findPaused(db: Db, appId: string): Promise<{ id: string; name: string; since: Date }[]> {
  const { rows } = await sql<{ id: string; name: string; since: Date }>`
    select id, name, paused_at as since from (
      select id, name, paused_at from campaigns where app_id = ${appId} and not transactional and status = 'paused' limit ${mostLooked}
    ) as paused
    where paused_at is not null order by paused_at, id limit ${mostListed}`.execute(db)
  return rows
}

/** Finds at most 10 campaigns of an app that failed within 7 days, the latest failure first. */
export async function findFailed(db: Db, appId: string): Promise<{ id: string; name: string; at: Date; code: string | null }[]> {
  const { rows } = await sql<{ id: string; name: string; at: Date; code: string | null }>`
    select id, name, settled_at as at, failure ->> 'code' as code from (
      select id, name, settled_at, failure from campaigns
      where app_id = ${appId} and not transactional and status = 'failed' and due_at is null order by created_at desc limit ${mostLooked}
    ) as failed
    where settled_at > now() - interval '7 days' order by settled_at desc, id limit ${mostListed}`.execute(db)
  return rows
}
