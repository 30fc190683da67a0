import { Fault, notFound } from '@herald/contracts/fault'
import type { Kysely } from 'kysely'
import type { AuditAction, Subject } from './core/audit.ts'
import type { Portions } from './core/portion.ts'
import { deleteIntent, insertIntent, keepIntent, writeIntent, type AuditLine } from './store/audit.ts'
import type { Tables } from './store/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change in another service. The intent is committed first; `write` then makes it a line of the audit. `changed` gives what
 * the line says; undefined when nothing changed. A refused change leaves none. Fault: not_found (the app).
 */
export async function auditElsewhere<Answer>(
  { db }: { db: Db },
  line: AuditLine,
  change: () => Promise<Answer>,
  changed: (answer: Answer) => { action: AuditAction; subject: Subject } | undefined,
  write: typeof writeIntent = writeIntent,
): Promise<Answer> {
  const intentId = await insertIntent(db, line)
  if (intentId === undefined) throw notFound()
  const endRenewals = renew(db, intentId)
  let answer: Answer
  try {
    answer = await change()
  } catch (error) {
    // On any other error nobody knows whether the change was made: the intent stays, and the sweep writes its line as `unconfirmed`.
    if (Fault.is(error) && error.status < 500) await deleteIntent(db, intentId)
    throw error
  } finally {
    endRenewals()
  }
  const done = changed(answer)
  await (done === undefined ? deleteIntent(db, intentId) : write(db, intentId, done.subject, done.action))
  return answer
}

/** Wraps the portions of an export so that the audit gets a line. */
export type NoteExport = (appId: string, subject: Subject, portions: Portions) => Portions

/** The intent of a change or an export that goes on is renewed this often, because the sweep turns an intent that is a minute old into a line. */
const renewEveryMs = 10_000

/** Renews an intent until the returned function is called. A failed renewal is made up for by the next one. */
function renew(db: Db, intentId: string): () => void {
  const timer = setInterval(() => void keepIntent(db, intentId).catch(() => undefined), renewEveryMs)
  return () => clearInterval(timer)
}

/**
 * Gives the portions of an export. Its audit line says how much came and whether that was all; an export refused at once has none. If the process
 * dies, the sweep writes it as `unconfirmed`. Fault: not_found (the app).
 */
export async function* auditExport({ db }: { db: Db }, line: AuditLine, portions: Portions): Portions {
  const intentId = await insertIntent(db, line)
  if (intentId === undefined) throw notFound()
  let count = 0
  let isComplete = false
  let isRefused = false
  const endRenewals = renew(db, intentId)
  try {
    for await (const portion of portions) {
      count += portion.count
      yield portion
    }
    isComplete = true
  } catch (error) {
    isRefused = count === 0 && Fault.is(error) && error.status < 500
    throw error
  } finally {
    endRenewals()
    await (isRefused ? deleteIntent(db, intentId) : writeIntent(db, intentId, { ...line.subject, count, complete: isComplete }))
  }
}
