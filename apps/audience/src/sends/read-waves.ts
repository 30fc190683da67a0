import type { SendWave } from '@herald/contracts/calls/audience'
import { shownWaves } from './core/waves.ts'
import { findWaves } from './store/fan-outs.ts'
import type { Db } from '../store/tables.ts'

/** Reads the waves of a send, in order. Answers none before the fan-out begins, and after its row was deleted at the end of the retention. */
export async function readWaves(
  { db }: { db: Db },
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ waves: SendWave[] }> {
  const fanOut = await findWaves(db, appId, campaignId)
  return { waves: fanOut ? shownWaves(fanOut) : [] }
}
