import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** An app has at most this many drafts (spec: limits/kept-things). */
export const mostDrafts = 10_000
/** An app has at most this many templates (spec: limits/kept-things). */
export const mostTemplates = 1_000

/**
 * Makes other transactions that add drafts, or templates, to the app wait until this one ends, so that parallel requests count each other's rows. The
 * count must be a statement of its own, behind this one.
 */
const lockAdding = (trx: Db, what: 'drafts' | 'templates', appId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`campaigns.${what} ${appId}`}, 0))`.execute(trx)

/** Gives how many drafts the app may add. Locks the adding of drafts until the end of the transaction. */
export async function roomForDrafts(trx: Db, appId: string): Promise<number> {
  await lockAdding(trx, 'drafts', appId)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from campaigns where app_id = ${appId} and status = 'draft' and not transactional limit ${sql.lit(mostDrafts)}
    ) as drafts`.execute(trx)
  return mostDrafts - (rows[0]?.count ?? 0)
}

/** Says whether the app may add a template. Locks the adding of templates until the end of the transaction. */
export async function hasRoomForTemplate(trx: Db, appId: string): Promise<boolean> {
  await lockAdding(trx, 'templates', appId)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from templates where app_id = ${appId} limit ${sql.lit(mostTemplates)}) as kept`.execute(trx)
  return (rows[0]?.count ?? 0) < mostTemplates
}
