import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { deleteOfApp, partsOfApp } from './store/app-rows.ts'
import { stopFanOuts } from './store/flow.ts'

/** Rows that one call deletes at most: about a second's work. */
const rowsPerCall = 5_000

/**
 * Deletes what there is of an app that is gone, a part with every call, until `done`. Sends under way stop with the first. Their
 * emptied rows stay for their time, like those of any settled send: a late pointer finds them and sends nothing.
 */
export async function eraseApp({ db }: Pick<Audience, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await stopFanOuts(db, appId)
  let left = rowsPerCall
  for (const part of partsOfApp) {
    left -= await transact(db, (trx) => deleteOfApp(trx, part, appId, left))
    if (left <= 0) return { done: false }
  }
  return { done: true }
}
