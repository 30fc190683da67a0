import type { Place } from '@herald/contracts/page'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { Subject } from '../../core/audit.ts'
import type { Page } from '../../core/page.ts'
import { newestFirst } from '../../store/newest-first.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/**
 * An audit line as it is shown. `subject.unconfirmed` is true when nobody knows whether the change was made: the gateway died during the call to the
 * service that makes the change, or got no answer.
 */
export type AuditEntry = { id: string; actor: string; action: string; subject: Subject; requestId: string | null; createdAt: string }

/** What a list of audit lines can be filtered by. An `action` that ends in `.` stands for all actions that begin with it. */
type AuditFilter = { [filter in 'action' | 'actor' | 'subjectId' | 'from' | 'to']?: string | undefined }

/**
 * Turns at most 100 intents older than a minute into audit lines marked `unconfirmed`, the oldest first. Gives how many. Gateways renew the intents
 * of what goes on, so an old one's gateway ended or got no answer.
 */
export async function writeOldIntents(db: Db): Promise<number> {
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

/** Deletes at most 1,000 audit lines past their retention and gives how many. */
export async function deleteOldAudit(db: Db, retentionDays: number): Promise<number> {
  const { rows } = await sql`
    delete from audit where id = any(array(
      select id from audit where created_at < now() - make_interval(days => ${retentionDays}) order by created_at limit 1000
    ))
    returning id`.execute(db)
  return rows.length
}

/** A search for an actor, an id or the beginning of an action has no index. For a page of it at most this many lines are examined. */
const mostLooked = 10_000

/**
 * Finds a page's audit lines, newest first, and one more if another page follows. A search by actor, id or an action's beginning examines at most
 * 10,000 lines; if the page is then unfilled, `examinedTo` begins the next.
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
