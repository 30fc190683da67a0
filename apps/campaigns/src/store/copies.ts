import type { Content } from '@herald/contracts/content'
import { sql } from 'kysely'
import { statusAfter } from '../core/campaign.ts'
import { inherited, ownLease } from './campaigns.ts'
import type { Db } from './tables.ts'

/** An experiment as a winner is decided by it. Undefined: unknown, or another app's. `ledgerDays`: how long the tracker keeps outcomes. */
export const findDecidable = (db: Db, appId: string, campaignId: string, ledgerDays: number) =>
  db
    .selectFrom('campaigns')
    .select(['status', 'experiment', 'schedule'])
    .select(
      sql<boolean>`
        (coalesce(started_at, settled_at, created_at) at time zone 'utc')::date < (now() at time zone 'utc')::date - ${ledgerDays}::int
      `.as('ledger_is_gone'),
    )
    .select(sql<boolean>`exists (select from campaigns as winner where winner.remainder_of = campaigns.id)`.as('has_winner'))
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

/**
 * Writes a winner's follow-up: under way, to the frozen target of its experiment, with the variant's content. False: there is one already,
 * whoever made it, or the app was erased.
 */
export async function insertWinner(
  db: Db,
  { id, of, sampleRate, content }: { id: string; of: string; sampleRate: number; content: Content },
): Promise<boolean> {
  const { rows } = await sql`
    insert into campaigns (id, remainder_of, remainder_rate, status, transactional, target, content, schedule, due_at, ${inherited})
    select
      ${id}, id, ${sampleRate}::double precision, ${statusAfter('sendNow')}, false, target, ${JSON.stringify(content)}::jsonb,
      '{"type":"now"}'::jsonb, ${ownLease}, ${inherited}
    from campaigns where id = ${of}
    on conflict (remainder_of) where remainder_of is not null do nothing
    returning id`.execute(db)
  return rows.length > 0
}

/**
 * Writes a draft like another campaign; a saved segment's definition is copied anew at its send. False: unknown, another app's or an
 * erased one's, or a notification to single users, who are no campaign's target.
 */
export async function insertDuplicate(db: Db, { id, appId, of }: { id: string; appId: string; of: string }): Promise<boolean> {
  const { rows } = await sql`
    insert into campaigns (id, status, transactional, target, content, experiment, schedule, ${inherited})
    select
      ${id}, 'draft', false, case when segment_id is null then target end, content, experiment,
      coalesce(schedule, '{"type":"now"}'::jsonb), ${inherited}
    from campaigns
    where id = ${of} and app_id = ${appId} and (segment_id is not null or target ->> 'kind' in ('segment', 'all'))
    returning id`.execute(db)
  return rows.length > 0
}
