import { Fault, notFound } from '@herald/contracts/fault'
import type { Kysely } from 'kysely'
import type { Subject } from './core/audit.ts'
import type { Portions } from '../core/portion.ts'
import { deleteIntent, insertIntent, keepIntent, settleIntent, type AuditLine } from './store/audit.ts'
import type { Tables } from '../store/tables.ts'

type Db = Kysely<Tables>

/** The portions of an export, with the line that it has in the audit. */
export type NoteExport = (appId: string, subject: Subject, portions: Portions) => Portions

/** An intent is made a line of by the sweep when it is a minute old; one of an export that goes on is kept young. A caller may take 30 s for a portion. */
const keepEveryMs = 10_000

/**
 * An export with its line in the audit: what is meant is committed before the first line leaves, and the line is written when it ends, with how many left and
 * whether those were all. One that is refused before it has said anything leaves none. An export whose process died has a line that says `unconfirmed`. Fault:
 * not_found (the app).
 */
export async function* auditExport(db: Db, line: AuditLine, portions: Portions): Portions {
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
    await (isRefused ? deleteIntent(db, intentId) : settleIntent(db, intentId, { ...line.subject, count, complete: isComplete }))
  }
}
