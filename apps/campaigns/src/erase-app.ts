import { transact } from '@herald/service/postgres'
import { deleteRowsOfApp, stopSchedulesOfApp } from './store/apps.ts'
import { markErased } from './store/erased-apps.ts'
import type { Db } from './store/tables.ts'

const atOnce = 5_000

/**
 * The app was deleted: nothing is added any more, its schedules stop at once, its rows go, at most 5,000 with every call, until `done`.
 */
export async function eraseApp(db: Db, { appId }: { appId: string }): Promise<{ done: boolean }> {
  await markErased(db, appId)
  // What is under way for the app writes the same rows in an order of its own: transactions, which are repeated after a deadlock.
  await transact(db, (trx) => stopSchedulesOfApp(trx, appId))
  return { done: (await transact(db, (trx) => deleteRowsOfApp(trx, appId, atOnce))) < atOnce }
}
