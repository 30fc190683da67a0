import * as calls from '@herald/contracts/calls/audience'
import { notFound, queueUnavailable } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'
import type { Bus } from '@herald/service/bus'
import type { Reads } from '@herald/service/postgres'
import { importLot } from './import-lot.ts'
import { cancelImport, finishImport, keepImportTail, readImport, startImport } from './manage-import.ts'
import { findImport, listImportErrors, listImports } from './store/imports.ts'
import type { Db, Tables } from './store/tables.ts'

/** Answers the calls of imports. */
export function answerImports(bus: Pick<Bus, 'answer'>, { db, reads }: { db: Db; reads: Reads<Tables> }): void {
  // Two lots at once, one of an app: a lot of 500 rows keeps a connection for about 100 ms, and the others are for devices and sends.
  const lotsAtOnce = openAtOnce({ atOnce: 2, share: 1, mostWaiting: 50, waitMs: 10_000, full: queueUnavailable })
  bus.answer(calls.startImport, (request) => startImport({ db }, request))
  bus.answer(calls.readImport, (request) => readImport({ db }, request))
  bus.answer(calls.importLot, (request) => lotsAtOnce(() => importLot({ db }, request), request.appId))
  bus.answer(calls.keepImportTail, (request) => keepImportTail({ db }, request))
  bus.answer(calls.finishImport, (request) => finishImport({ db }, request))
  bus.answer(calls.cancelImport, (request) => cancelImport({ db }, request))
  bus.answer(calls.listImports, (request) => reads((readDb) => listImports(readDb, request), { turn: request.appId }))
  bus.answer(calls.listImportErrors, ({ appId, importId, ...page }) =>
    reads(
      async (readDb) => {
        if (!(await findImport(readDb, appId, importId))) throw notFound()
        return listImportErrors(readDb, importId, page)
      },
      { turn: appId },
    ),
  )
}
