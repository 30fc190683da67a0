import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { deleteOfApp, forgetApp, partsOfApp } from './store/app-rows.ts'
import { leaveRates } from './delivery/store/provider-rates.ts'
import { stopFanOuts } from './sends/store/flow.ts'
import { cancelImportsOf } from './people/store/imports.ts'
import type { Db } from './store/tables.ts'

/** One call deletes about this many rows at most, which takes about a second. */
const rowsPerCall = 5_000

/**
 * Deletes rows of a deleted app, about 5,000 with each call, and answers `done` when it finds none. Its sends stop. Rows of fan-outs stay for the
 * retention, so that a late pointer finds them and sends nothing.
 */
export async function eraseApp({ db }: Pick<Audience, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, 'audience', appId)
  await forgetApp(db, appId)
  await transact(db, (trx) => stopFanOuts(trx, appId))
  await cancelImportsOf(db, appId)
  await leaveRates(db, appId)
  for (let left = rowsPerCall; left > 0;) {
    const erased = await eraseParts(db, appId, left)
    // A finish may have inserted retries after this call had deleted batches. So all is deleted only when a round finds no row.
    if (erased === 0) return { done: true }
    left -= erased
  }
  return { done: false }
}

async function eraseParts(db: Db, appId: string, most: number): Promise<number> {
  let erased = 0
  for (const part of partsOfApp) {
    erased += await transact(db, (trx) => deleteOfApp(trx, part, appId, most - erased))
    if (erased >= most) break
  }
  return erased
}
