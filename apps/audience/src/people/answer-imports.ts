import * as calls from '@herald/contracts/calls/audience'
import { notFound } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import type { Reads } from '@herald/service/postgres'
import { importLot } from './import-lot.ts'
import { cancelImport, finishImport, keepImportTail, readImport, startImport } from './manage-import.ts'
import { findImport, listImportErrors, listImports } from './store/imports.ts'
import type { Db, Tables } from '../store/tables.ts'

type InTurn = <Answer>(work: () => Promise<Answer>, appId: string) => Promise<Answer>

/** Answers the calls about imports. `lotInTurn` writes one lot (group of rows) of an app at a time, with apps taking turns. */
export function answerImports(
  bus: Pick<Bus, 'answer'>,
  { db, reads, lotInTurn }: { db: Db; reads: Reads<Tables>; lotInTurn: InTurn },
): void {
  bus.answer(calls.startImport, (request) => startImport({ db }, request))
  bus.answer(calls.readImport, (request) => readImport({ db }, request))
  bus.answer(calls.importLot, (request) => lotInTurn(() => importLot({ db }, request), request.appId))
  bus.answer(calls.keepImportTail, (request) => keepImportTail({ db }, request))
  bus.answer(calls.finishImport, (request) => finishImport({ db }, request))
  bus.answer(calls.cancelImport, (request) => cancelImport({ db }, request))
  bus.answer(calls.listImports, (request) => reads((readDb) => listImports(readDb, request), { appId: request.appId }))
  bus.answer(calls.listImportErrors, ({ appId, importId, ...page }) =>
    reads(
      async (readDb) => {
        if (!(await findImport(readDb, appId, importId))) throw notFound()
        return listImportErrors(readDb, importId, page)
      },
      { appId },
    ),
  )
}
