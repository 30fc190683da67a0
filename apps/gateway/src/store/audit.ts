import { newId } from '@herald/contracts/ids'
import { sql, type Kysely } from 'kysely'
import { ofNoApp, type AuditAction, type By, type Subject } from '../core/audit.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** An audit line to write. `requestId` is null when a sweep made the change and not a request. */
export type AuditLine = Omit<By, 'requestId'> & { requestId: string | null; appId: string; action: AuditAction; subject: Subject }

/** Writes the audit line of an operator's change, in the transaction `trx` of the change if there is one. */
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

/**
 * Writes the audit line of a save in the transaction `trx` of the save, unless the actor has one of the same change of the same thing that is younger
 * than ten minutes (spec: administration/audit-autosaves).
 */
export async function insertAutosave(trx: Db, line: AuditLine): Promise<void> {
  const { id, app_id, actor, action, subject, request_id } = rowOf(line)
  // Of two saves at the same moment the second waits here, and then sees the line of the first.
  await sql`select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', ${app_id}::text, ${actor}::text, ${action}::text, ${subject}::text), 0))`.execute(
    trx,
  )
  await sql`
    insert into audit (id, app_id, actor, action, subject, request_id)
    select ${id}, ${app_id}, ${actor}, ${action}, ${subject}::jsonb, ${request_id}
    where not exists (
      select from audit as line
      where line.app_id = ${app_id} and line.action = ${action} and line.actor = ${actor} and line.subject = ${subject}::jsonb
        and line.created_at > now() - interval '10 minutes'
    )`.execute(trx)
}

/** A refused sign-in, or several from one address. */
export type Refusals = { address: string; count: number; by: 'token' | 'key' | 'link'; browser: string; requestId: string }

/** Adds refused sign-ins to the line of their address and hour, by the database's clock. The first one of an hour writes the line. */
export const countRefusals = (db: Db, refusals: readonly Refusals[]): Promise<unknown> =>
  sql`
    insert into audit (id, app_id, actor, action, subject, request_id)
    select id, ${ofNoApp}, 'somebody', 'session.refused',
      subject || jsonb_build_object('hour', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"')), request_id
    from jsonb_to_recordset(${JSON.stringify(refusals.map(({ requestId, ...subject }) => ({ id: newId(), subject, request_id: requestId })))})
      as refused (id text, subject jsonb, request_id text)
    order by subject ->> 'address'
    on conflict ((subject ->> 'address'), (subject ->> 'hour')) where action = 'session.refused' and subject ? 'hour'
    do update set subject = audit.subject ||
      jsonb_build_object('count', (audit.subject ->> 'count')::bigint + (excluded.subject ->> 'count')::bigint)`.execute(db)

/** Commits an intent: a change that another service is about to be asked for, or an export. Gives its id, or undefined when there is no such app. */
export async function insertIntent(db: Db, line: AuditLine): Promise<string | undefined> {
  const { id, app_id, actor, action, subject, request_id } = rowOf(line)
  const { rows } = await sql<{ id: string }>`
    insert into audit_intents (id, app_id, actor, action, subject, request_id)
    select ${id}, id, ${actor}, ${action}, ${subject}::jsonb, ${request_id} from apps where id = ${app_id} and deleted_at is null
    returning id`.execute(db)
  return rows[0]?.id
}

/** Deletes the intent of a change or export that was refused, or of a change that changed nothing. */
export const deleteIntent = (db: Db, id: string): Promise<unknown> => db.deleteFrom('audit_intents').where('id', '=', id).execute()

/** Renews the intent of a change or an export that still goes on, so that the sweep does not call it unconfirmed. */
export const keepIntent = (db: Db, id: string): Promise<unknown> =>
  sql`update audit_intents set created_at = now() where id = ${id}`.execute(db)

/** Turns the intent of a change that was made, or of an export that has ended, into an audit line, unless a sweep did so before. */
export const writeIntent = (db: Db, id: string, subject: Subject, action: AuditAction | null = null): Promise<unknown> =>
  sql`
    with done as (delete from audit_intents where id = ${id} returning id, app_id, actor, action, request_id)
    insert into audit (id, app_id, actor, action, subject, request_id)
    select id, app_id, actor, coalesce(${action}, action), ${JSON.stringify(subject)}::jsonb, request_id from done`.execute(db)

/**
 * Turns the intent of an autosave into an audit line (spec: administration/audit-autosaves), unless the actor has a line of the same change of the
 * same thing that is younger than ten minutes. Then the intent goes.
 */
export const writeAutosave = (db: Db, id: string, subject: Subject): Promise<unknown> =>
  db.transaction().execute(async (trx) => {
    const of = JSON.stringify(subject)
    // Of two saves at the same moment the second waits here, and then sees the line of the first.
    await sql`select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', app_id, actor, action, ${of}::text), 0)) from audit_intents where id = ${id}`.execute(
      trx,
    )
    await sql`
      with done as (delete from audit_intents where id = ${id} returning id, app_id, actor, action, request_id)
      insert into audit (id, app_id, actor, action, subject, request_id)
      select id, app_id, actor, action, ${of}::jsonb, request_id from done
      where not exists (
        select from audit as line
        where line.app_id = done.app_id and line.action = done.action and line.actor = done.actor and line.subject = ${of}::jsonb
          and line.created_at > now() - interval '10 minutes'
      )`.execute(trx)
  })
