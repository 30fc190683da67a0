import type { SendWave } from '@herald/contracts/calls/audience'
import { shownWaves } from './core/waves.ts'
import { findWaves } from './store/fan-outs.ts'
import type { Db } from '../store/tables.ts'

/** Reads the waves of a send, in order. There are none before its fan-out begins, and when its row is past retention. */
export async function readWaves(
  { db }: { db: Db },
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ waves: SendWave[] }> {
  const fanOut = await findWaves(db, appId, campaignId)
  return { waves: fanOut ? shownWaves(fanOut) : [] }
}
