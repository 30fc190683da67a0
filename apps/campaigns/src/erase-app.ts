import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { deleteRowsOfApp, stopSchedulesOfApp } from './store/apps.ts'

const atOnce = 5_000

/**
 * Deletes the campaigns, idempotency records and templates of an app that was deleted. From the first call on, none of them is added and no schedule
 * of the app starts. Each call deletes at most 5,000 rows. A call that finds fewer than 5,000 rows answers `done`.
 */
export async function eraseApp({ db }: Pick<Campaigns, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, 'campaigns', appId)
  // Requests for the app that are still running lock the same rows in another order, which may end in a deadlock. `transact` repeats the work then.
  await transact(db, (trx) => stopSchedulesOfApp(trx, appId))
  return { done: (await transact(db, (trx) => deleteRowsOfApp(trx, appId, atOnce))) < atOnce }
}
