import { sql } from 'kysely'
import type { Db } from './tables.ts'

type Person = { appId: string; userId: string }

/** What a person did with one item. `readAt` null: unread, whatever `readUntil` says. */
export type ItemMark = { readAt: Date | null; hidden: boolean }

/** Finds what a person did with their inbox: up to when all is read, and the items marked one by one, by campaign. */
export async function findMarks(
  db: Db,
  { appId, userId }: Person,
  campaignIds: string[],
): Promise<{ readUntil: Date | null; items: Map<string, ItemMark> }> {
  const mark = await db
    .selectFrom('inbox_marks')
    .select('read_until as readUntil')
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const rows = await db
    .selectFrom('inbox_reads')
    .select(['campaign_id as campaignId', 'read_at as readAt', 'hidden'])
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .execute()
  return { readUntil: mark?.readUntil ?? null, items: new Map(rows.map(({ campaignId, ...row }) => [campaignId, row])) }
}

/** Marks items as read or unread. Ids that are no inbox send of the app are left out, so that the table cannot be filled with made-up ones. */
export const markItems = (trx: Db, { appId, userId }: Person, campaignIds: string[], read: boolean) =>
  sql`
    insert into inbox_reads as known (app_id, user_id, campaign_id, read_at)
    select app_id, ${userId}, campaign_id, ${read ? sql`now()` : sql`null`}
    from counters where app_id = ${appId} and inbox and campaign_id = any(${campaignIds}::text[])
    order by campaign_id
    on conflict (app_id, user_id, campaign_id) do update set read_at = excluded.read_at, at = now()
    where (known.read_at is null) = ${read}`.execute(trx)

/** Hides an item. An id that is no inbox send of the app changes nothing. */
export const hideItem = (trx: Db, { appId, userId }: Person, campaignId: string) =>
  sql`
    insert into inbox_reads (app_id, user_id, campaign_id, hidden)
    select app_id, ${userId}, campaign_id, true from counters where app_id = ${appId} and inbox and campaign_id = ${campaignId}
    on conflict (app_id, user_id, campaign_id) do update set hidden = true, at = now()`.execute(trx)

/** Marks everything that was sent up to a moment (now, when it lies ahead) as read. */
export async function markAllRead(trx: Db, { appId, userId }: Person, before: string | undefined): Promise<void> {
  const until = before === undefined ? sql`now()` : sql`least(${before}::timestamptz, now())`
  await sql`
    insert into inbox_marks as known (app_id, user_id, read_until) values (${appId}, ${userId}, ${until})
    on conflict (app_id, user_id) do update set read_until = greatest(known.read_until, excluded.read_until)`.execute(trx)
  await sql`
    update inbox_reads set read_at = now() where app_id = ${appId} and user_id = ${userId} and read_at is null and at <= ${until}`.execute(
    trx,
  )
}

/** Marks everything as unread. */
export async function markAllUnread(trx: Db, { appId, userId }: Person): Promise<void> {
  await trx.deleteFrom('inbox_marks').where('app_id', '=', appId).where('user_id', '=', userId).execute()
  await trx.updateTable('inbox_reads').set({ read_at: null }).where('app_id', '=', appId).where('user_id', '=', userId).execute()
}

export async function deleteInboxOfUser(db: Db, { appId, userId }: Person): Promise<void> {
  await db.deleteFrom('inbox_reads').where('app_id', '=', appId).where('user_id', '=', userId).execute()
  await db.deleteFrom('inbox_marks').where('app_id', '=', appId).where('user_id', '=', userId).execute()
}

/** Deletes at most `limit` rows of each table of a deleted app, and gives how many. */
export async function deleteInboxOfApp(db: Db, appId: string, limit: number): Promise<number> {
  const reads = await sql`
    delete from inbox_reads r using (select user_id, campaign_id from inbox_reads where app_id = ${appId} limit ${limit}) as gone
    where r.app_id = ${appId} and r.user_id = gone.user_id and r.campaign_id = gone.campaign_id`.execute(db)
  const marks = await sql`
    delete from inbox_marks m using (select user_id from inbox_marks where app_id = ${appId} limit ${limit}) as gone
    where m.app_id = ${appId} and m.user_id = gone.user_id`.execute(db)
  return Number(reads.numAffectedRows ?? 0) + Number(marks.numAffectedRows ?? 0)
}

/** Deletes marks that are older than any item of an inbox can be, at most 5,000 of each table; gives how many. */
export async function deleteOldMarks(db: Db, days: number): Promise<number> {
  const old = sql`now() - make_interval(days => ${days}::int)`
  const reads = await sql`
    delete from inbox_reads where ctid = any(array(select ctid from inbox_reads where at < ${old} limit 5000))`.execute(db)
  const marks = await sql`
    delete from inbox_marks where ctid = any(array(select ctid from inbox_marks where read_until < ${old} limit 5000))`.execute(db)
  return Number(reads.numAffectedRows ?? 0) + Number(marks.numAffectedRows ?? 0)
}

/** Takes a campaign out of all inboxes: its pushes are found no more. People's marks stay until they are old. */
export const leaveInboxes = (db: Db, { appId, campaignId }: { appId: string; campaignId: string }) =>
  sql`update counters set inbox = false where campaign_id = ${campaignId} and app_id || '' = ${appId} and inbox`.execute(db)
