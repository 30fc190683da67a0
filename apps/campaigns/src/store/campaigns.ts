import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Experiment, Schedule } from '@herald/contracts/campaign'
import type { Place } from '@herald/contracts/page'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import type { ResolvedSend } from '../core/overrides.ts'
import { findNewest, mostExamined, newestFirst } from './newest-campaigns.ts'
import type { Db } from './tables.ts'

export type NewCampaign = {
  id: string
  appId: string
  name: string
  /** A notification is under way as it is accepted, a campaign is a draft until it is sent. */
  status: 'sending' | 'draft'
  transactional: boolean
  target: FrozenTarget | null
  templateId: string | null
  segmentId: string | null
  schedule: Schedule | null
  experiment: Experiment | null
  /** Only a test has it. */
  test?: true
  send: ResolvedSend
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

/** The columns that a campaign made after another takes over as they are. */
export const inherited = sql.raw('app_id, name, template_id, segment_id, silent, data, ttl, collapse_id, priority, presentation, bypass')

/** The own lease of what is under way: if its first pointer is lost, the sweep points again after 5 s. */
export const ownLease = sql<Date>`now() + interval '5 seconds'`

/**
 * The lease of a recurrence's run, many of one second in one commit: should the process die before it points at them, another
 * does within two seconds. What audience has not taken over by then is pointed at twice, which costs a look at its row.
 */
export const startLease = sql<Date>`now() + interval '1.5 seconds'`

/** What a body sets of a campaign, whole: what it leaves out is null or its default. */
export type Draft = Omit<NewCampaign, 'id' | 'appId' | 'status' | 'transactional' | 'test'>

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
  bypass: JSON.stringify(send.bypass),
  schedule: jsonOrNull(schedule),
  segment_id: segmentId,
  experiment: jsonOrNull(experiment),
})

/** Puts another body in the place of a draft's; false: it is no draft (any more), or unknown. */
export async function replaceDraft(db: Db, appId: string, campaignId: string, draft: Draft): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({ ...columnsOf(draft), revision: sql<number>`revision + 1` })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('change'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a draft; false: it is no draft (any more), or unknown. */
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

/** Those of these campaigns that are to be sent: known, and (still) under way. */
export const findSending = (db: Db, campaignIds: string[]) =>
  db
    .selectFrom('campaigns')
    .selectAll()
    .where('id', '=', sql<string>`any(${campaignIds})`)
    .where('status', '=', 'sending')
    .where('cancelling', '=', false)
    .execute()

export const findCampaign = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'name', 'status', 'cancelling', 'transactional', 'created_at', 'settled_at'])
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

/** All of a campaign, or undefined: unknown, or another app's. */
export const findWhole = (db: Db, appId: string, campaignId: string) =>
  db.selectFrom('campaigns').selectAll().where('id', '=', campaignId).where('app_id', '=', appId).executeTakeFirst()
export type CampaignRow = NonNullable<Awaited<ReturnType<typeof findWhole>>>

export type CampaignFilter = {
  status: CampaignStatus | undefined
  transactional: boolean | undefined
  /** True: tests and nothing else; false: everything else. */
  test: boolean
  /** The beginning of the name, whatever the letter case. */
  prefix: string | undefined
}

/** Statuses that no notification ever has. */
const statusesOfPeople = new Set<CampaignStatus>(['draft', 'scheduled', 'active'])

/**
 * One row more than `limit` of an app's campaigns, newest first, after a place of an earlier page. With a filter only those that it fits
 * among the next 5,000, so that a page costs the same whatever the app's history holds; `examinedTo` is where to go on when there may be
 * more. What people made is looked for among what people made, also beside a million notifications.
 */
export async function findCampaigns(
  db: Db,
  appId: string,
  filter: CampaignFilter,
  { limit, after }: { limit: number; after: Place | undefined },
): Promise<{ rows: CampaignRow[]; examinedTo: Place | undefined }> {
  const isFiltered = filter.status !== undefined || filter.transactional !== undefined || filter.test || filter.prefix !== undefined
  if (!isFiltered) return findNewest(db, appId, { limit, after })
  const { ids, examinedTo } = await findFitting(db, appId, filter, { limit, after })
  // By their ids alone: beside an order and a limit the planner may walk the app's campaigns in search of them.
  return {
    rows: await newestFirst(db)
      .where('id', '=', sql<string>`any(${ids})`)
      .execute(),
    examinedTo,
  }
}

async function findFitting(
  db: Db,
  appId: string,
  { status, transactional, test, prefix }: CampaignFilter,
  { limit, after }: { limit: number; after: Place | undefined },
): Promise<{ ids: string[]; examinedTo: Place | undefined }> {
  const isOfPeople = transactional === false || (status !== undefined && statusesOfPeople.has(status))
  const { rows } = await sql<{ ids: string[]; examined: number; id: string; createdAt: Date }>`
    with examined as materialized (
      select id, created_at, status, transactional, test, name from campaigns
      where app_id = ${appId} ${isOfPeople ? sql`and not transactional` : sql``} ${test ? sql`and test` : sql``}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``}
      order by created_at desc, id desc limit ${mostExamined}
    )
    select id, created_at as "createdAt", (select count(*)::int from examined) as examined, array(
      select id from examined
      where ${test ? sql`test` : sql`test is null`} ${status === undefined ? sql`` : sql`and status = ${status}`}
        ${transactional === undefined ? sql`` : sql`and transactional = ${transactional}`}
        ${prefix === undefined ? sql`` : sql`and starts_with(lower(name), lower(${prefix}))`}
      order by created_at desc, id desc limit ${limit + 1}
    ) as ids
    from examined order by created_at, id limit 1`.execute(db)
  const [last] = rows
  return { ids: last?.ids ?? [], examinedTo: last?.examined === mostExamined ? { id: last.id, createdAt: last.createdAt } : undefined }
}

/** What a send is decided by, with the database's clock beside it. Undefined: unknown, or another app's. */
export const findSendable = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select(['status', 'revision', 'target', 'segment_id', 'schedule', 'silent', sql<boolean>`content is not null`.as('has_content')])
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

export type Sent = 'sendNow' | 'sendLater' | 'sendRecurring'

/**
 * Sends a campaign as it was read, if its status still allows that and its draft was not replaced meanwhile; answers the new status, or
 * undefined: something else came first. One row, one condition: of a send, a cancel and a start that meet, exactly one finds the status it needs.
 */
export async function markSent(
  db: Db,
  campaignId: string,
  {
    action,
    dueAt,
    localTimesAfter,
    target,
    revision,
  }: { action: Sent; dueAt: Date | null; localTimesAfter: Date | null; target: FrozenTarget; revision: number },
): Promise<CampaignStatus | undefined> {
  const row = await db
    .updateTable('campaigns')
    .set({
      status: statusAfter(action),
      target: JSON.stringify(target),
      due_at: dueAt ?? ownLease,
      local_times_after: localTimesAfter,
      ...(action === 'sendRecurring' ? { activated_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow(action))
    .where('revision', '=', revision)
    .returning('status')
    .executeTakeFirst()
  return row?.status
}

/** A campaign that repeats: paused, it was active before, where any other was sending. */
export const isRecurring = sql<boolean>`schedule ->> 'type' = 'recurring'`

/** Cancels a campaign that has not started, and a recurrence also while it is paused; whether it did. */
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

/** Locks campaigns in the order of their ids: groups of several processes overlap, and an update alone locks in any order. */
const locked = (campaignIds: string[]) => sql`select id from campaigns where id = any(${campaignIds}) order by id for no key update`

export type Started = { id: string; status: CampaignStatus; cancelling: boolean; flow_no: number }

/** Audience has its fan-out rows: the sweep need not point at these any more. Answers those that there are. */
export async function markStarted(db: Db, campaignIds: string[]): Promise<Started[]> {
  const { rows } = await sql<Started>`
    with locked as materialized (${locked(campaignIds)})
    update campaigns set due_at = null, started_at = coalesce(started_at, now())
    where id = any(array(select id from locked))
    returning campaigns.id, status, cancelling, flow_no`.execute(db)
  return rows
}

/** The target of what has ended: whom a notification named is forgotten, since the external ids in it are a person's. A segment says why somebody got it. */
export const withoutNames = sql<
  string | null
>`case when transactional and target ->> 'kind' not in ('segment', 'all') then null else target end`

/** Every queued push of these has an outcome. One that has ended otherwise stays as it is. Whom a notification named is forgotten. */
export async function markSettled(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with locked as materialized (${locked(campaignIds)})
    update campaigns set
      status = case when cancelling then ${statusAfter('settleCancelled')} else ${statusAfter('settle')} end,
      settled_at = now(), due_at = null, flow_due_at = null, paused_at = null, target = ${withoutNames}
    where id = any(array(select id from locked)) and status = any(${statusesThatAllow('settle')})`.execute(db)
}

/** A campaign that cannot be sent, with the reason. One that has ended otherwise stays as it is. Whom a notification named is forgotten. */
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
 * Deletes notifications past retention that have ended, at most 1,000 at once; answers how many. Ids start with the second they
 * were made in, so the primary key is the index by age.
 */
export async function deleteOldNotifications(db: Db, retentionDays: number): Promise<number> {
  const { rows } = await sql`
    with old as (
      select id from campaigns
      where id < lpad(to_hex(extract(epoch from now() - ${retentionDays}::int * interval '1 day')::bigint), 8, '0')
        and transactional and status <> all(${statusesThatAllow('settle')})
      order by id limit 1000 for update skip locked
    )
    delete from campaigns using old where campaigns.id = old.id returning campaigns.id`.execute(db)
  return rows.length
}
