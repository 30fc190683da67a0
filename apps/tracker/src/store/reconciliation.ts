import { sql } from 'kysely'
import type { CampaignPlace } from './counters.ts'
import type { Db } from './tables.ts'

/** Where the reconciler's round stands. `found`: by how much each campaign is off. */
export type Round = {
  /** The groups of campaigns that are compared next, and the place from which the next campaigns are looked for; null at the end of the table. */
  pending: string[][]
  after: CampaignPlace | null
  /** The group that a tracker is comparing now. */
  working: string[] | null
  /** How much had been written when this round began, null when it cannot compare every campaign; and when the last such round began. */
  written: number | null
  compared: number | null
  found: Record<string, number>
  foundBefore: Record<string, number>
  roundEndedAt: string | null
}

/** Reads the round, and in how many milliseconds its next piece may begin. */
export async function readRound(db: Db): Promise<{ round: Round; dueInMs: number }> {
  const { rows } = await sql<{ round: Round; dueInMs: number }>`
    select round, greatest(0, extract(epoch from next_at - now()) * 1000)::float8 as "dueInMs" from reconciliation`.execute(db)
  if (!rows[0]) throw new Error('the row of the reconciliation is gone')
  return rows[0]
}

/** Locks the round if its next piece is due and no other process is taking it. */
export async function lockDueRound(trx: Db): Promise<Round | undefined> {
  const { rows } = await sql<{ round: Round }>`select round from reconciliation where next_at <= now() for update skip locked`.execute(trx)
  return rows[0]?.round
}

export const writeRound = (db: Db, round: Round, nextInMs: number) =>
  sql`update reconciliation set round = ${JSON.stringify(round)}::jsonb, next_at = now() + make_interval(secs => ${nextInMs / 1_000})`.execute(
    db,
  )
