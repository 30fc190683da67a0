import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { namedBy, type Experiment, type Schedule, type Winner } from '@herald/contracts/campaign'
import type { FrozenCategory } from '@herald/contracts/category'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import type { ResolvedSend } from '../core/overrides.ts'
import type { Db } from './tables.ts'

export type NewCampaign = {
  id: string
  appId: string
  name: string
  /** A notification is `sending` as soon as it is accepted. A campaign is a draft until it is sent. */
  status: 'sending' | 'draft'
  transactional: boolean
  target: FrozenTarget | null
  templateId: string | null
  segmentId: string | null
  schedule: Schedule | null
  experiment: Experiment | null
  /** The operator who makes it; absent when a secret key does. */
  author?: string | undefined
  /** True in a test, absent in any other campaign. */
  test?: true
  send: ResolvedSend
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

/** The columns that a duplicate, a run or a winner copies unchanged from the campaign that it is made of. */
const copied =
  'app_id, template_id, segment_id, silent, data, ttl, collapse_id, priority, presentation, overrides, category, inbox, bypass, send_rate'
export const inherited = sql.raw(`name, ${copied}`)
export const inheritedButName = sql.raw(copied)

/** The lease of a send under way. When audience has not started the send after 5 s, the sweep tells audience of it again. */
export const ownLease = sql<Date>`now() + interval '5 seconds'`

/**
 * The lease of a recurrence's run, shorter than `ownLease`: one commit may make many runs, and after a crash another process points at them within
 * two seconds. A second pointer costs audience one read.
 */
export const startLease = sql<Date>`now() + interval '1.5 seconds'`

/** Everything that the body of a campaign sets. A field that the body leaves out is null or has its default. */
export type Draft = Omit<NewCampaign, 'id' | 'appId' | 'status' | 'transactional' | 'author' | 'test'>

export const columnsOf = ({ name, target, templateId, segmentId, schedule, experiment, send }: Draft) => ({
  name,
  target: jsonOrNull(target),
  content: jsonOrNull(send.content),
  template_id: templateId,
  silent: send.silent,
  data: JSON.stringify(send.data),
  ttl: send.ttl,
  collapse_id: send.collapseId,
  priority: send.priority,
  presentation: jsonOrNull(send.presentation),
  overrides: jsonOrNull(send.overrides),
  category: jsonOrNull(send.category ?? null),
  inbox: send.inbox ?? false,
  activity: jsonOrNull(send.activity ?? null),
  bypass: JSON.stringify(send.bypass),
  schedule: jsonOrNull(schedule),
  segment_id: segmentId,
  experiment: jsonOrNull(experiment),
})

/** Replaces the body of a draft. Gives false when the campaign is unknown or not a draft. */
export async function replaceDraft(db: Db, appId: string, campaignId: string, draft: Draft): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({ ...columnsOf(draft), send_rate: draft.send.perMinute, revision: sql<number>`revision + 1` })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('change'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a draft. Gives false when the campaign is unknown or not a draft. */
export async function deleteDraft(db: Db, appId: string, campaignId: string): Promise<boolean> {
  const row = await db
    .deleteFrom('campaigns')
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('change'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The columns that the frozen send and the administration's answer about a campaign are made of. */
export const wholeColumns = [
  ...([
    'id',
    'name',
    'status',
    'transactional',
    'target',
    'content',
    'silent',
    'data',
    'ttl',
    'priority',
    'presentation',
    'overrides',
    'category',
    'inbox',
    'activity',
    'bypass',
  ] as const),
  ...(['schedule', 'experiment', 'cancelling', 'author', 'test', 'failure', 'app_id as appId', 'template_id as templateId'] as const),
  ...([
    'segment_id as segmentId',
    'collapse_id as collapseId',
    'recurring_of as recurringOf',
    'remainder_of as remainderOf',
    'recall_of as recallOf',
    'recall',
    'send_rate as perMinute',
  ] as const),
  ...(['remainder_rate as remainderRate', 'local_times_after as localTimesAfter', 'paused_at as pausedAt', 'due_at as dueAt'] as const),
  ...(['missed_count as missedCount', 'created_at as createdAt', 'started_at as startedAt', 'settled_at as settledAt'] as const),
] as const

/** The winner of an experiment, as JSON. The read of any other campaign costs nothing more. */
export const winnerColumn = sql<Winner | null>`
  case when experiment is not null then (
    select json_build_object('variant', w.remainder_variant, 'campaignId', w.id, 'by', w.remainder_by, 'at', w.created_at,
      'decidedBy', coalesce(w.remainder_decided, 'person'))
    from campaigns w where w.remainder_of = campaigns.id
  ) end`.as('winner')

const selectWhole = (db: Db) => db.selectFrom('campaigns').select(wholeColumns).select(winnerColumn)
type Selected = NonNullable<Awaited<ReturnType<ReturnType<typeof selectWhole>['executeTakeFirst']>>>

export const toWhole = ({ remainderOf: of, remainderRate: sampleRate, recall, target, ...row }: Selected) => ({
  ...row,
  target: target?.kind === 'forgotten' ? null : target,
  forgotten: target?.kind === 'forgotten' ? target : null,
  remainder: of !== null && sampleRate !== null ? { of, sampleRate } : null,
  recall: recall !== null && row.recallOf !== null ? { of: row.recallOf, mode: recall.mode, variants: recall.variants } : null,
})
export type CampaignRow = ReturnType<typeof toWhole>

/** Finds those of these campaigns that audience may fan out: they are `sending`, and no cancel was asked for. `flowNo`: the last change of the flow. */
export async function findSending(db: Db, campaignIds: string[]): Promise<(CampaignRow & { flowNo: number })[]> {
  const rows = await selectWhole(db)
    .select('flow_no as flowNo')
    .where('id', '=', sql<string>`any(${campaignIds})`)
    .where('status', '=', 'sending')
    .where('cancelling', '=', false)
    .execute()
  return rows.map((row) => ({ ...toWhole(row), flowNo: row.flowNo }))
}

/** Finds those of these campaigns of an app that people find in their inbox. */
export async function findInboxSends(db: Db, appId: string, campaignIds: string[]): Promise<CampaignRow[]> {
  const rows = await selectWhole(db)
    .where('id', '=', sql<string>`any(${campaignIds})`)
    .where('app_id', '=', appId)
    .where('inbox', '=', true)
    .execute()
  return rows.map(toWhole)
}

export const findCampaign = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select([
      'id',
      'name',
      'status',
      'cancelling',
      'transactional',
      'recall_of as recallOf',
      'created_at as createdAt',
      'settled_at as settledAt',
    ])
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

/** Finds a campaign with its `wholeColumns`; undefined when the campaign is unknown or belongs to another app. */
export async function findWhole(db: Db, appId: string, campaignId: string): Promise<CampaignRow | undefined> {
  const row = await selectWhole(db).where('id', '=', campaignId).where('app_id', '=', appId).executeTakeFirst()
  return row && toWhole(row)
}

/** Finds what decides whether a campaign can be sent, and the database's time. Undefined when the campaign is unknown or belongs to another app. */
export const findSendable = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select([
      'status',
      'revision',
      'target',
      'segment_id as segmentId',
      'schedule',
      'silent',
      'category',
      sql<boolean>`content is not null`.as('hasContent'),
      sql<boolean>`remainder_of is not null`.as('isWinner'),
      sql<boolean>`recall_of is not null`.as('isRecall'),
    ])
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

export type Sent = 'sendNow' | 'sendLater' | 'sendRecurring'

/**
 * Begins a campaign or its schedule, if its status still allows it and its draft was not replaced. Gives the new status; undefined when another
 * request changed it first: the row's lock orders send, cancel and start.
 */
export async function markSent(
  db: Db,
  campaignId: string,
  {
    action,
    dueAt,
    localTimesAfter,
    target,
    category,
    revision,
  }: {
    action: Sent
    dueAt: Date | null
    localTimesAfter: Date | null
    target: FrozenTarget
    category?: FrozenCategory | undefined
    revision: number
  },
): Promise<CampaignStatus | undefined> {
  const row = await db
    .updateTable('campaigns')
    .set({
      status: statusAfter(action),
      target: JSON.stringify(target),
      due_at: dueAt ?? ownLease,
      local_times_after: localTimesAfter,
      ...(category ? { category: JSON.stringify(category) } : {}),
      ...(action === 'sendRecurring' ? { activated_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow(action))
    .where('revision', '=', revision)
    .returning('status')
    .executeTakeFirst()
  return row?.status
}

/**
 * True for a recurrence, false or null for any other campaign. It tells a paused recurrence from a paused send, since both have the status `paused`.
 */
export const isRecurring = sql<boolean>`schedule ->> 'type' = 'recurring'`

/**
 * Cancels a campaign that has not started, or a recurrence, even a paused one. Gives false when the campaign is unknown or its status does not allow
 * it.
 */
export async function markCancelled(db: Db, appId: string, campaignId: string): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({ status: statusAfter('cancel'), due_at: null, paused_at: null, settled_at: sql<Date>`now()` })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where((where) =>
      where.or([
        where('status', 'in', statusesThatAllow('cancel')),
        where.and([where('status', 'in', statusesThatAllow('cancelRecurring')), isRecurring]),
      ]),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Makes a draft of a scheduled campaign again. False when it is unknown, sends a winner or a recall, or its status does not allow it. The new revision
 * lets no request send it that has read it before.
 */
export async function markUnsent(db: Db, appId: string, campaignId: string): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({
      status: statusAfter('unsend'),
      target: sql`case when segment_id is null then target end`,
      due_at: null,
      local_times_after: null,
      revision: sql<number>`revision + 1`,
    })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('remainder_of', 'is', null)
    .where('recall_of', 'is', null)
    .where('status', 'in', statusesThatAllow('unsend'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the campaign that sends a winner, while it is scheduled, and gives the id of the experiment, which is open again. */
export async function deleteUnsentWinner(db: Db, appId: string, campaignId: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('campaigns')
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('remainder_of', 'is not', null)
    .where('status', 'in', statusesThatAllow('unsend'))
    .returning('remainder_of')
    .executeTakeFirst()
  return row?.remainder_of ?? undefined
}

/**
 * Locks campaigns in the order of their ids, and waits at most 500 ms for each row. An update alone locks rows in any order, so two processes could
 * end in a deadlock.
 */
const locked = (campaignIds: string[]) => sql`
  short as materialized (select set_config('lock_timeout', '500ms', true)),
  locked as materialized (select id from campaigns, short where id = any(${campaignIds}) order by id for no key update of campaigns)`

/** Finds those of these campaigns whose rows another transaction holds. */
export async function findHeld(db: Db, campaignIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    with free as materialized (select id from campaigns where id = any(${campaignIds}) order by id for no key update skip locked)
    select id from campaigns where id = any(${campaignIds}) and id <> all(array(select id from free)) order by id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** A send under way, with the number of the last change of its flow. */
export type Started = {
  id: string
  appId: string
  status: CampaignStatus
  cancelling: boolean
  flowNo: number
  /** The rate of the send; 0 when it was taken away, null when it never had one. */
  perMinute: number | null
}

/** Notes that audience has the fan-out rows of these campaigns, so that the sweep sends no more pointers to them. Gives the campaigns that exist. */
export async function markStarted(db: Db, campaignIds: string[]): Promise<Started[]> {
  const { rows } = await sql<Started>`
    with ${locked(campaignIds)}
    update campaigns set due_at = null, started_at = coalesce(started_at, now())
    where id = any(array(select id from locked))
    returning campaigns.id, app_id as "appId", status, cancelling, flow_no as "flowNo", send_rate as "perMinute"`.execute(db)
  return rows
}

/**
 * The target of an ended campaign as SQL. Of named users and devices only the number is kept, because external ids are personal data; a segment stays,
 * to explain who got the send.
 */
export const withoutNames = sql<string | null>`
  case when transactional and target ->> 'kind' in (${sql.join(namedBy.map((kind) => sql.lit(kind)))}) then
    jsonb_build_object('kind', 'forgotten', 'by', target -> 'kind', 'count', jsonb_array_length(target -> (target ->> 'kind')))
  else target end`

/** When an experiment that picks its winner by itself is first looked at, as `firstLookMinutes` says. */
const firstLook = sql`make_interval(mins => coalesce(
  (experiment #>> '{auto,minMinutes}')::int, least(60, (experiment #>> '{auto,afterMinutes}')::int)))`

/**
 * Ends campaigns in which every queued push has an outcome, even before audience has said that the send has started. A campaign that has already
 * ended, for example as failed, stays as it is.
 */
export async function markSettled(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with ${locked(campaignIds)}
    update campaigns set
      status = case when cancelling then ${statusAfter('settleCancelled')} else ${statusAfter('settle')} end,
      started_at = coalesce(started_at, now()), settled_at = now(), due_at = null, flow_due_at = null, paused_at = null, target = ${withoutNames},
      winner_due_at = case when experiment ? 'auto' and not cancelling then now() + ${firstLook} end
    where id = any(array(select id from locked)) and status = any(${statusesThatAllow('settle')})`.execute(db)
}

/**
 * Counts a failed start of a send that audience has not started, and gives how often it failed. Only one failure counts for each time that the sweep
 * tells audience (`pointer_no`): a call and pointers may all fail.
 */
export async function countFailedStart(db: Db, campaignId: string): Promise<number> {
  const row = await db
    .updateTable('campaigns')
    .set({ failed_starts: sql<number>`coalesce(failed_starts, 0) + 1` })
    .where('id', '=', campaignId)
    .where('status', '=', 'sending')
    .where('started_at', 'is', null)
    .where(sql<boolean>`coalesce(failed_starts, 0) <= pointer_no`)
    .returning('failed_starts')
    .executeTakeFirst()
  return row?.failed_starts ?? 0
}

/** Marks a campaign that cannot be sent as failed, with the reason. A campaign that has already ended stays as it is. */
export async function markFailed(db: Db, campaignId: string, failure: { code: string; message: string }): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({
      status: 'failed',
      failure: JSON.stringify(failure),
      settled_at: sql<Date>`now()`,
      due_at: null,
      flow_due_at: null,
      paused_at: null,
      target: withoutNames,
    })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow('fail'))
    .execute()
}

/**
 * Deletes at most 1,000 notifications that ended more than `retentionDays` ago, and gives how many. An id begins with the second in which it was
 * made, so the primary key leads to old ones.
 */
export async function deleteOldNotifications(db: Db, retentionDays: number): Promise<number> {
  const { rows } = await sql`
    with old as (
      select id from campaigns
      where id < lpad(to_hex(extract(epoch from now() - ${retentionDays}::int * interval '1 day')::bigint), 8, '0')
        and transactional and status <> all(${statusesThatAllow('settle')})
        and coalesce(settled_at, created_at) < now() - ${retentionDays}::int * interval '1 day'
      order by id limit 1000 for update skip locked
    )
    delete from campaigns using old where campaigns.id = old.id returning campaigns.id`.execute(db)
  return rows.length
}
