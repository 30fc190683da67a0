import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { ImportLot, ImportReport } from '@herald/contracts/import'
import { planLot, toImportRow, type ImportRow, type KnownDevice, type KnownPerson } from './core/import-lot.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { findDevicesAt, findPeople, writeDevices, writePeople } from './store/import-devices.ts'
import { hashName, readWithDry, writeDry } from './store/import-dry.ts'
import { lockImport, moveImport, reportOf, type ImportRecord } from './store/imports.ts'
import type { Db } from '../store/tables.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Writes a lot of an import: users, devices, counts and errors, in the transaction that moves the import from the lot's offset to the next.
 * Faults: `not_found` (the import, or the app was erased), `invalid_state` (the import has ended, or is at another offset: nothing is written).
 */
export const importLot = (
  { db }: { db: Db },
  { appId, importId, lot }: { appId: string; importId: string; lot: ImportLot },
): Promise<ImportReport> =>
  transactIdentity(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, lot.offset)
    const { dry_run: isDry, on_existing: onExisting } = at
    const rows = lot.rows.map(({ row, device }) => toImportRow(appId, row, device))

    const known = await (isDry ? readDry(trx, at, rows) : readAndLock(trx, at, rows))
    const planned = isDry ? rows.map((row) => ({ ...row, externalId: row.externalId && hashName(appId, row.externalId) })) : rows
    const plan = planLot(known, planned, { onExisting, makeId: newId, now: at.now.toISOString() })

    if (isDry) await writeDry(trx, importId, plan)
    else {
      const isWritten = (await writePeople(trx, appId, plan.people, onExisting)) && (await writeDevices(trx, appId, plan.devices))
      if (!isWritten) throw notFound()
      if (plan.departures.length > 0) await leaveUsers(trx, plan.departures)
    }
    return reportOf(await moveImport(trx, at, lot, plan.outcomes))
  })

/** Fault `invalid_state`: the import has ended, or is elsewhere; then the right offset is in the detail at `offset`. */
export function checkIsAt({ state, next_offset: next }: ImportRecord, offset: number): void {
  if (state !== 'receiving') throw fault('invalid_state', `The import is ${state}.`)
  if (offset !== next)
    throw fault('invalid_state', `The import goes on at offset ${next}.`, [{ path: 'offset', message: `must be ${next}` }])
}

type Known = { devices: KnownDevice[]; people: KnownPerson[] }

/** With `keep` a known device is left alone, so only the people of the other rows are read and locked. */
async function readAndLock(trx: Db, { app_id: appId, on_existing: onExisting }: ImportRecord, rows: ImportRow[]): Promise<Known> {
  const isUpdate = onExisting === 'update'
  const devices = await findDevicesAt(trx, keysOf(rows), { lock: isUpdate })
  const there = new Set(devices.map(({ key }) => key))
  const people = await findPeople(trx, {
    appId,
    ids: isUpdate ? [...new Set(devices.map(({ userId }) => userId))] : [],
    names: namesOf(isUpdate ? rows : rows.filter(({ key }) => !there.has(key))),
    lock: true,
  })
  return { devices, people }
}

const readDry = (trx: Db, { app_id: appId, id: importId }: ImportRecord, rows: ImportRow[]): Promise<Known> =>
  readWithDry(trx, { appId, importId, keys: keysOf(rows), names: namesOf(rows) })

const keysOf = (rows: ImportRow[]): string[] => [...new Set(rows.map(({ key }) => key))]
const namesOf = (rows: ImportRow[]): string[] => [...new Set(rows.flatMap(({ externalId }) => externalId ?? []))]
