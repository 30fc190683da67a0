import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { deleteRowsOfApp, stopSchedulesOfApp } from './store/apps.ts'

const atOnce = 5_000

/**
 * Deletes campaigns, idempotency records, templates, categories and activities of a deleted app, at most 5,000 rows a call; `done` when it found fewer. From the first call
 * on none is added and no schedule starts.
 */
export async function eraseApp({ db }: Pick<Campaigns, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, 'campaigns', appId)
  // Requests for the app that are still running lock the same rows in another order, which may end in a deadlock. `transact` repeats the work then.
  await transact(db, (trx) => stopSchedulesOfApp(trx, appId))
  return { done: (await transact(db, (trx) => deleteRowsOfApp(trx, appId, atOnce))) < atOnce }
}
