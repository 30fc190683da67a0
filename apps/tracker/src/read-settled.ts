import type { EndOfPlaces } from '@herald/contracts/outcome'
import { endedPlaces } from './core/slots.ts'
import { findRows } from './store/ledger.ts'
import type { Db } from './store/tables.ts'

/** Which pushes of a batch have an outcome already, for a dispatcher that takes over what an earlier take left when it died. */
export async function readSettled(
  db: Db,
  batch: { day: string; campaignId: string; no: number },
): Promise<{ results: (EndOfPlaces & { at: string })[] }> {
  const rows = await findRows(db, batch)
  return { results: rows.flatMap(endedPlaces).map(({ at, ...end }) => ({ ...end, at: new Date(at).toISOString() })) }
}
