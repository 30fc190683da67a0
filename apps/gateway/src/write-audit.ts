import { Fault, notFound } from '@herald/contracts/fault'
import type { Kysely } from 'kysely'
import type { Subject } from './core/audit.ts'
import type { Portions } from './core/portion.ts'
import { deleteIntent, insertIntent, keepIntent, writeIntent, type AuditLine } from './store/audit.ts'
import type { Tables } from './store/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change in another service, with a line in the audit: first the intent is committed, then the service is asked, then the intent becomes a
 * line. `changed` gives the subject of the line, or undefined when nothing was changed. A refused change leaves no line. When it stays unknown
 * whether the change was made, because this process died or the service did not answer, the sweep writes the line and marks it `unconfirmed`. Fault:
 * not_found (the app).
 */
export async function auditElsewhere<Answer>(
  { db }: { db: Db },
  line: AuditLine,
  change: () => Promise<Answer>,
  changed: (answer: Answer) => Subject | undefined,
): Promise<Answer> {
  const intentId = await insertIntent(db, line)
  if (intentId === undefined) throw notFound()
  let answer: Answer
  try {
    answer = await change()
  } catch (error) {
    if (Fault.is(error) && error.status < 500) await deleteIntent(db, intentId)
    throw error
  }
  const subject = changed(answer)
  await (subject === undefined ? deleteIntent(db, intentId) : writeIntent(db, intentId, subject))
  return answer
}

/** Wraps the portions of an export so that the audit gets a line. */
export type NoteExport = (appId: string, subject: Subject, portions: Portions) => Portions

/**
 * The intent of a running export is renewed with the next portion after this time, because the sweep turns an intent that is a minute old into a
 * line. A client may take 30 s to read a portion.
 */
const keepEveryMs = 10_000

/**
 * Gives the portions of an export and writes its line in the audit. The intent is committed before the first portion leaves. When the export ends,
 * the line says how much was exported and whether that was all. An export that is refused before its first portion leaves no line. When the process
 * dies, the sweep writes the line and marks it `unconfirmed`. Fault: not_found (the app).
 */
export async function* auditExport({ db }: { db: Db }, line: AuditLine, portions: Portions): Portions {
  const intentId = await insertIntent(db, line)
  if (intentId === undefined) throw notFound()
  let count = 0
  let isComplete = false
  let isRefused = false
  let keptAt = performance.now()
  try {
    for await (const portion of portions) {
      if (performance.now() - keptAt > keepEveryMs) {
        await keepIntent(db, intentId)
        keptAt = performance.now()
      }
      count += portion.count
      yield portion
    }
    isComplete = true
  } catch (error) {
    isRefused = count === 0 && Fault.is(error) && error.status < 500
    throw error
  } finally {
    await (isRefused ? deleteIntent(db, intentId) : writeIntent(db, intentId, { ...line.subject, count, complete: isComplete }))
  }
}
