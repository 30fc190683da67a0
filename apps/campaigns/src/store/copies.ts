import type { Experiment } from '@herald/contracts/campaign'
import type { DecidedBy } from '@herald/contracts/experiment-metrics'
import { sql } from 'kysely'
import { statusAfter } from '../core/campaign.ts'
import { inherited, inheritedButName, ownLease } from './campaigns.ts'
import type { Db } from './tables.ts'

/** A campaign's name has at most this many characters (contracts, `CreateCampaign`). */
const nameLength = 200

/**
 * Finds what decides whether a winner can be picked. Undefined when the campaign is unknown or belongs to another app. `ledgerDays`: the tracker
 * keeps outcomes for this many days.
 */
export const findDecidable = (db: Db, appId: string, campaignId: string, ledgerDays: number) =>
  db
    .selectFrom('campaigns')
    .select(['status', 'experiment', 'schedule'])
    .select(
      sql<boolean>`
        (coalesce(started_at, settled_at, created_at) at time zone 'utc')::date < (now() at time zone 'utc')::date - ${ledgerDays}::int
      `.as('ledgerIsGone'),
    )
    .select(sql<boolean>`exists (select from campaigns as winner where winner.remainder_of = campaigns.id)`.as('hasWinner'))
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

/**
 * Writes the campaign that sends a winner to the users outside the sample, at once or after the delay, with the experiment's frozen target and the
 * variant's content. Undefined when there is a winner already, or the app was erased.
 */
export async function insertWinner(
  db: Db,
  {
    id,
    of,
    sampleRate,
    variant,
    by,
    decidedBy,
    delaySeconds,
  }: {
    id: string
    of: string
    sampleRate: number
    variant: Experiment['variants'][number]
    by: string | null
    decidedBy: DecidedBy
    delaySeconds: number
  },
): Promise<{ dueAt: Date } | undefined> {
  const suffix = ` – winner ${variant.name}`
  const isDelayed = delaySeconds > 0
  const { rows } = await sql<{ dueAt: Date }>`
    insert into campaigns (
      id, remainder_of, remainder_rate, remainder_variant, remainder_by, remainder_decided, author, status, transactional, target, content, schedule, due_at, name, ${inheritedButName}
    )
    select
      ${id}, id, ${sampleRate}::double precision, ${variant.id}, ${by}, ${decidedBy === 'person' ? null : decidedBy}, ${by}, ${statusAfter(isDelayed ? 'sendLater' : 'sendNow')}, false, target,
      ${JSON.stringify(variant.content)}::jsonb, '{"type":"now"}'::jsonb,
      ${isDelayed ? sql`now() + ${delaySeconds}::int * interval '1 second'` : ownLease}, left(name, ${nameLength} - length(${suffix})) || ${suffix},
      ${inheritedButName}
    from campaigns where id = ${of}
    on conflict (remainder_of) where remainder_of is not null do nothing
    returning due_at as "dueAt"`.execute(db)
  return rows[0]
}

/**
 * Writes a draft that copies another campaign; a saved segment stays a reference until the send. Gives false for an unknown campaign, another or an
 * erased app, a Live Activity, or a notification that names users or devices.
 */
export async function insertDuplicate(
  db: Db,
  { id, appId, of, author }: { id: string; appId: string; of: string; author: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    insert into campaigns (id, author, status, transactional, target, content, experiment, schedule, ${inherited})
    select
      ${id}, ${author}, 'draft', false, case when segment_id is null then target end, content, experiment,
      coalesce(schedule, '{"type":"now"}'::jsonb), ${inherited}
    from campaigns
    where id = ${of} and app_id = ${appId} and activity is null and (segment_id is not null or target ->> 'kind' in ('segment', 'all'))
    returning id`.execute(db)
  return rows.length > 0
}
