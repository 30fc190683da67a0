import { Fault, notFound } from '@herald/contracts/fault'
import type { Kysely } from 'kysely'
import type { Subject } from './core/audit.ts'
import { deleteIntent, deleteOldAudit, insertIntent, settleIntent, settleOldIntents, type AuditLine } from './store/audit.ts'
import type { Tables } from './store/tables.ts'

type Db = Kysely<Tables>

/**
 * Makes a change in another app, with a line in the audit: first the intent is committed, then the app is asked, then the intent becomes a line.
 * `changed` gives the subject of the line, or undefined when nothing was changed. A refused change leaves no line. When it stays unknown whether
 * the change was made, because this process died or the app did not answer, the sweep writes the line and marks it `unconfirmed`. Fault: not_found
 * (the app).
 */
export async function auditElsewhere<Answer>(
  db: Db,
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
  await (subject === undefined ? deleteIntent(db, intentId) : settleIntent(db, intentId, subject))
  return answer
}

/** Often enough: intents become lines when they are a minute old, and retention is measured in days. */
const lookEveryMs = 15_000

/** For a sweep: writes the lines of changes that were cut off, and deletes lines past retention (undefined: lines stay for good). */
export function keepAudit(db: Db, retentionDays: number | undefined): () => Promise<{ took: number }> {
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - lookedAt < lookEveryMs) return { took: 0 }
    const settled = await settleOldIntents(db)
    const deleted = retentionDays === undefined ? 0 : await deleteOldAudit(db, retentionDays)
    if (settled + deleted > 0) return { took: settled + deleted }
    lookedAt = performance.now()
    return { took: 0 }
  }
}
