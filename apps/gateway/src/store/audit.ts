import { newId } from '@herald/contracts/ids'
import type { Place } from '@herald/contracts/page'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { AuditAction, AuditFilter, By, Subject } from '../core/audit.ts'
import type { Page } from '../core/page.ts'
import { newestFirst } from './newest-first.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** A line as it is shown. `subject.unconfirmed`: it is unknown whether the change was made, because the app that was asked did not answer. */
export type AuditEntry = { id: string; actor: string; action: string; subject: Subject; requestId: string | null; createdAt: string }

/** A line to write. `requestId` is null where no request made the change. */
export type AuditLine = Omit<By, 'requestId'> & { requestId: string | null; appId: string; action: AuditAction; subject: Subject }

/** Writes the audit's line for an administrator's change, in the transaction of the change. */
export type Note = (trx: Db, appId: string, subject: Subject) => Promise<void>

const rowOf = ({ appId, actor, action, requestId, subject }: AuditLine) => ({
  id: newId(),
  app_id: appId,
  actor,
  action,
  subject: JSON.stringify(subject),
  request_id: requestId,
})

export const insertAudit = (db: Db, line: AuditLine): Promise<unknown> => db.insertInto('audit').values(rowOf(line)).execute()

/** Commits what is about to be changed, before it is. Gives the intent's id, or undefined when there is no such app. */
export async function insertIntent(db: Db, line: AuditLine): Promise<string | undefined> {
  const { id, app_id, actor, action, subject, request_id } = rowOf(line)
  const { rows } = await sql<{ id: string }>`
    insert into audit_intents (id, app_id, actor, action, subject, request_id)
    select ${id}, id, ${actor}, ${action}, ${subject}::jsonb, ${request_id} from apps where id = ${app_id} and deleted_at is null
    returning id`.execute(db)
  return rows[0]?.id
}

/** Deletes the intent of a change that was refused. */
export const deleteIntent = (db: Db, id: string): Promise<unknown> => db.deleteFrom('audit_intents').where('id', '=', id).execute()

/** Renews the intent of work that still goes on: its minute begins anew. */
export const keepIntent = (db: Db, id: string): Promise<unknown> =>
  sql`update audit_intents set created_at = now() where id = ${id}`.execute(db)

/** Makes a line of the intent of a change that was made, unless the sweep has done so before. */
export const settleIntent = (db: Db, id: string, subject: Subject): Promise<unknown> =>
  sql`
    with done as (delete from audit_intents where id = ${id} returning id, app_id, actor, action, request_id)
    insert into audit (id, app_id, actor, action, subject, request_id)
    select id, app_id, actor, action, ${JSON.stringify(subject)}::jsonb, request_id from done`.execute(db)

/** Makes lines of intents that are older than any call may take, 100 at most; gives how many. */
export async function settleOldIntents(db: Db): Promise<number> {
  const { rows } = await sql`
    with old as (
      delete from audit_intents where id = any(array(
        select id from audit_intents where created_at < now() - interval '1 minute' order by created_at limit 100 for update skip locked
      ))
      returning id, app_id, actor, action, subject, request_id, created_at
    )
    insert into audit (id, app_id, actor, action, subject, request_id, created_at)
    select id, app_id, actor, action, subject || '{"unconfirmed": true}', request_id, created_at from old
    returning id`.execute(db)
  return rows.length
}

/** Deletes lines past retention, 1,000 at most; gives how many. */
export async function deleteOldAudit(db: Db, retentionDays: number): Promise<number> {
  const { rows } = await sql`
    delete from audit where id = any(array(
      select id from audit where created_at < now() - make_interval(days => ${retentionDays}) order by created_at limit 1000
    ))
    returning id`.execute(db)
  return rows.length
}

/** How many lines a page looks through when it searches for what no index has. */
const mostLooked = 10_000

/**
 * The lines of a page and one more, newest first. A search for an actor, an id or the beginning of an action looks through 10,000 lines. When they
 * do not fill the page, `examinedTo` is the last of them: the next page goes on there.
 */
export async function findAudit(
  db: Db,
  appId: string,
  page: Page,
  { action, actor, subjectId, from, to }: AuditFilter,
): Promise<{ rows: { id: string; createdAt: Date; entry: AuditEntry }[]; examinedTo: Place | undefined }> {
  const beginning = action?.endsWith('.') ? action : undefined
  const looked = newestFirst(
    db
      .selectFrom('audit')
      .where('app_id', '=', appId)
      .$if(action !== undefined && beginning === undefined, (query) => query.where('action', '=', action ?? ''))
      .$if(from !== undefined, (query) => query.where('created_at', '>=', new Date(from ?? 0)))
      .$if(to !== undefined, (query) => query.where('created_at', '<', new Date(to ?? 0))),
    { limit: mostLooked - 1, after: page.after },
    { id: 'id', createdAt: 'created_at' },
  ).select(['id', 'actor', 'action', 'subject', 'request_id', 'created_at'])

  const rows = await db
    .selectFrom(looked.as('looked'))
    .selectAll()
    .$if(beginning !== undefined, (query) => query.where(sql<SqlBool>`starts_with(action, ${beginning ?? ''})`))
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
    .$if(subjectId !== undefined, (query) =>
      query.where(sql<SqlBool>`exists (select from jsonb_each_text(subject) as each where each.value = ${subjectId ?? ''})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()

  const isSearch = beginning !== undefined || actor !== undefined || subjectId !== undefined
  const last =
    isSearch && rows.length <= page.limit
      ? await looked
          .clearSelect()
          .select(['id', 'created_at'])
          .clearLimit()
          .limit(1)
          .offset(mostLooked - 1)
          .executeTakeFirst()
      : undefined
  return {
    rows: rows.map(({ created_at, request_id, ...row }) => ({
      id: row.id,
      createdAt: created_at,
      entry: { ...row, requestId: request_id, createdAt: created_at.toISOString() },
    })),
    examinedTo: last && { id: last.id, createdAt: last.created_at },
  }
}
