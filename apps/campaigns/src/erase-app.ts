import { markErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { deleteRowsOfApp, stopSchedulesOfApp } from './store/apps.ts'

const atOnce = 5_000

/**
 * Deletes what campaigns has of an app that was deleted. From the first call on nothing is added and no schedule starts. Each call deletes at
 * most 5,000 rows; the last one answers `done`.
 */
export async function eraseApp({ db }: Pick<Campaigns, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, 'campaigns', appId)
  // What is under way for the app locks the same rows in another order, so these are transactions, which are repeated after a deadlock.
  await transact(db, (trx) => stopSchedulesOfApp(trx, appId))
  return { done: (await transact(db, (trx) => deleteRowsOfApp(trx, appId, atOnce))) < atOnce }
}
