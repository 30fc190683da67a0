import type { SendWave } from '@herald/contracts/calls/audience'
import { shownWaves } from './core/waves.ts'
import { findWaves } from './store/waves.ts'
import type { Db } from '../store/tables.ts'

/** The waves of a send, in order; none before its fan-out begins, and when its row is past retention. */
export async function readWaves(
  { db }: { db: Db },
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ waves: SendWave[] }> {
  const fanOut = await findWaves(db, appId, campaignId)
  return { waves: fanOut ? shownWaves(fanOut) : [] }
}
