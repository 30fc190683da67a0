import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { deleteOfApp, partsOfApp } from './store/app-rows.ts'
import { markErased } from './store/erased-apps.ts'
import { stopFanOuts } from './sends/store/flow.ts'
import { cancelImportsOf } from './people/store/imports.ts'
import type { Db } from './store/tables.ts'

/** Rows that one call deletes at most: about a second's work. */
const rowsPerCall = 5_000

/**
 * Deletes what there is of an app that is gone, a part with every call, until `done`: nothing was left and nothing comes any more. Sends
 * under way stop with the first. Their emptied rows stay for their time, like those of any settled send: a late pointer finds them and
 * sends nothing; one at a send that never began finds the mark.
 */
export async function eraseApp({ db }: Pick<Audience, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, appId)
  await transact(db, (trx) => stopFanOuts(trx, appId))
  await cancelImportsOf(db, appId)
  for (let left = rowsPerCall; left > 0;) {
    const erased = await eraseParts(db, appId, left)
    // A batch that was being finished may have left retries, after its own row had been looked for: only a look that finds nothing is the last.
    if (erased === 0) return { done: true }
    left -= erased
  }
  return { done: false }
}

/** Rows of one part after another; answers how many went. */
async function eraseParts(db: Db, appId: string, most: number): Promise<number> {
  let erased = 0
  for (const part of partsOfApp) {
    erased += await transact(db, (trx) => deleteOfApp(trx, part, appId, most - erased))
    if (erased >= most) break
  }
  return erased
}
