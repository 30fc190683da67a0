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
} from './store/imports.ts'
import type { Db } from '../store/tables.ts'

type OfImport = { appId: string; importId: string }

/** Begins an import. Faults: `invalid_state` (another import of the app is still receiving), `not_found` (the app was erased). */
export async function startImport(
  { db }: { db: Db },
  { appId, settings }: { appId: string; settings: StartImport },
): Promise<ImportReport> {
  const made = await insertImport(db, newId(), appId, settings)
  if (made) return made
  const open = await findReceiving(db, appId)
  if (!open) throw notFound()
  throw fault('invalid_state', `The import ${open.id} of this app is still receiving. Finish or cancel it first.`)
}

/**
 * Gives the report of an import, and what the gateway needs to go on reading the file: the names of the file's columns (`header`), and the bytes after
 * the last complete row (`tail`). Fault: `not_found`.
 */
export async function readImport(
  { db }: { db: Db },
  { appId, importId }: OfImport,
): Promise<{ report: ImportReport; header: string[] | null; tail: string | null }> {
  const found = await findImport(db, appId, importId)
  if (!found) throw notFound()
  return { report: found.report, header: found.header, tail: found.tail?.toString('base64') ?? null }
}

/** Stores the bytes of the file after `offset` that are not a complete row yet (`tail`). Faults: `not_found`, `invalid_state`. */
export const keepImportTail = (
  { db }: { db: Db },
  { appId, importId, offset, tail }: OfImport & { offset: number; tail: string },
): Promise<ImportReport> =>
  transact(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, offset)
    return keepTail(trx, importId, Buffer.from(tail, 'base64'))
  })

/**
 * Ends an import whose file is written up to `offset`. Faults: `not_found`, `invalid_state` (the import has ended, or is at another offset),
 * `invalid_body` (the file has something after its header but no row).
 */
export const finishImport = ({ db }: { db: Db }, { appId, importId, offset }: OfImport & { offset: number }): Promise<ImportReport> =>
  transact(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, offset)
    if (at.report.rows === 0 && at.headerEnd !== null && at.headerEnd < offset)
      throw fault('invalid_body', 'The file has bytes after its header but no row. Look at its line ends; they must be LF, CRLF or CR.', [
        { path: '', message: 'must have a row after its header' },
      ])
    return endImport(trx, importId, 'finished')
  })

/** Ends an import before the end of its file. The devices and users that it has written stay. Faults: `not_found`, `invalid_state`. */
export const cancelImport = ({ db }: { db: Db }, { appId, importId }: OfImport): Promise<ImportReport> =>
  transact(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, at.report.offset)
    return endImport(trx, importId, 'cancelled')
  })

/**
 * Cancels imports that got no data for a day, and deletes a portion of the rows of ended dry runs and of old imports. Answers whether there may be
 * more to delete.
 */
export async function keepImports({ db }: { db: Db }): Promise<boolean> {
  await cancelLeftAlone(db)
  const more = [await clearDryRuns(db), await purgeImports(db)]
  return more.includes(true)
}
