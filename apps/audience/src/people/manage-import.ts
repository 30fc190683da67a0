import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { ImportReport, StartImport } from '@herald/contracts/import'
import { transact } from '@herald/service/postgres'
import { checkIsAt } from './import-lot.ts'
import {
  cancelLeftAlone,
  clearDryRuns,
  endImport,
  findImport,
  findReceiving,
  insertImport,
  keepTail,
  lockImport,
  purgeImports,
  reportOf,
} from './store/imports.ts'
import type { Db } from '../store/tables.ts'

type Named = { appId: string; importId: string }

/** Begins an import. Faults: `invalid_state` (the app has one that is receiving), `not_found` (the app was erased). */
export async function startImport(
  { db }: { db: Db },
  { appId, settings }: { appId: string; settings: StartImport },
): Promise<ImportReport> {
  const made = await insertImport(db, newId(), appId, settings)
  if (made) return reportOf(made)
  const open = await findReceiving(db, appId)
  if (!open) throw notFound()
  throw fault('invalid_state', `The import ${open.id} of this app is still receiving. Finish or cancel it first.`)
}

/** How far an import is, and what the gateway needs to read on: the names of the file's columns, and what stands behind the last whole row. */
export async function readImport(
  { db }: { db: Db },
  { appId, importId }: Named,
): Promise<{ report: ImportReport; header: string[] | null; tail: string | null }> {
  const found = await findImport(db, appId, importId)
  if (!found) throw notFound()
  return { report: reportOf(found), header: found.header, tail: found.tail?.toString('base64') ?? null }
}

/** Keeps the bytes behind `offset` that are no whole row. Faults: `not_found`, `invalid_state`. */
export const keepImportTail = (
  { db }: { db: Db },
  { appId, importId, offset, tail }: Named & { offset: number; tail: string },
): Promise<ImportReport> =>
  transact(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, offset)
    return reportOf(await keepTail(trx, importId, Buffer.from(tail, 'base64')))
  })

/** Ends an import: everything up to `offset` is written. Faults: `not_found`, `invalid_state` (it has ended, or has gone on meanwhile). */
export const finishImport = ({ db }: { db: Db }, { appId, importId, offset }: Named & { offset: number }): Promise<ImportReport> =>
  transact(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, offset)
    return reportOf(await endImport(trx, importId, 'finished'))
  })

/** Ends an import where it is; what is written stays. Faults: `not_found`, `invalid_state`. */
export const cancelImport = ({ db }: { db: Db }, { appId, importId }: Named): Promise<ImportReport> =>
  transact(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, at.next_offset)
    return reportOf(await endImport(trx, importId, 'cancelled'))
  })

/** For a sweep: ends imports that got nothing for a day, and forgets what is past its time. True: there is more to do. */
export async function keepImports({ db }: { db: Db }): Promise<boolean> {
  await cancelLeftAlone(db)
  const more = [await clearDryRuns(db), await purgeImports(db)]
  return more.includes(true)
}
