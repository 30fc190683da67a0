import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { deleteOfApp, partsOfApp } from './store/app-rows.ts'
import { markErased } from './store/erased-apps.ts'
import { stopFanOuts } from './sends/store/flow.ts'
import { cancelImportsOf } from './people/store/imports.ts'
import type { Db } from './store/tables.ts'

/** How many rows one call deletes at most: about a second's work. */
const rowsPerCall = 5_000

/**
 * Deletes everything of an app that was deleted, a part with every call, until `done`: nothing was left, and nothing can be added any more. The
 * first call stops the sends under way. Their emptied fan-outs stay for their retention, like those of settled sends: a late pointer finds them
 * and sends nothing. A late pointer at a send that never began finds the mark of the erased app.
 */
export async function eraseApp({ db }: Pick<Audience, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, appId)
  await transact(db, (trx) => stopFanOuts(trx, appId))
  await cancelImportsOf(db, appId)
  for (let left = rowsPerCall; left > 0;) {
    const erased = await eraseParts(db, appId, left)
    // A batch that was being finished may have made retries after this call had looked for batches: only a round that finds nothing is the last.
    if (erased === 0) return { done: true }
    left -= erased
  }
  return { done: false }
}

/** Deletes rows of one part after another; answers how many. */
async function eraseParts(db: Db, appId: string, most: number): Promise<number> {
  let erased = 0
  for (const part of partsOfApp) {
    erased += await transact(db, (trx) => deleteOfApp(trx, part, appId, most - erased))
    if (erased >= most) break
  }
  return erased
}
