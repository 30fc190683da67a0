import { keyOfTake, renewBatches } from './store/batches.ts'
import type { Db } from '../store/tables.ts'

/** Keeps the leases of batches that are still their takers', in one update for all. Answers in the order asked. */
export async function renewBatch({ db }: { db: Db }, takes: { batchId: string; takes: number }[]): Promise<{ held: boolean }[]> {
  const held = await renewBatches(db, takes)
  return takes.map((take) => ({ held: held.has(keyOfTake(take)) }))
}
