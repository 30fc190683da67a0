import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { ImportLot, ImportReport } from '@herald/contracts/import'
import { planLot, toImportRow, type ImportRow, type KnownDevice, type KnownUser } from './core/import-lot.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { findDevicesAt, findUsers, writeDevices, writeUsers } from './store/import-devices.ts'
import { hashName, readWithDry, writeDry } from './store/import-dry.ts'
import { lockImport, moveImport, type ImportRecord } from './store/imports.ts'
import type { Db } from '../store/tables.ts'
import { transactIdentity } from './transact-identity.ts'

/**
 * Writes one lot of an import and moves the import to its end, in one transaction. Faults write nothing: `not_found` (unknown import or erased app),
 * `invalid_state` (import ended, or is at another offset), `queue_unavailable` (`retryIdentity`).
 */
export const importLot = (
  { db }: { db: Db },
  { appId, importId, lot }: { appId: string; importId: string; lot: ImportLot },
): Promise<ImportReport> =>
  transactIdentity(db, async (trx) => {
    const at = await lockImport(trx, appId, importId)
    if (!at) throw notFound()
    checkIsAt(at, lot.offset)
    const { dryRun: isDry, onExisting } = at.report
    const rows = lot.rows.map(({ row, device }) => toImportRow(appId, row, device))

    const known = await (isDry ? readDry(trx, at, rows) : readAndLock(trx, at, rows))
    const planned = isDry ? rows.map((row) => ({ ...row, externalId: row.externalId && hashName(appId, row.externalId) })) : rows
    const plan = planLot(known, planned, { onExisting, makeId: newId, now: at.now.toISOString() })

    if (isDry) await writeDry(trx, importId, plan)
    else {
      const isWritten = (await writeUsers(trx, appId, plan.users, onExisting)) && (await writeDevices(trx, appId, plan.devices))
      if (!isWritten) throw notFound()
      if (plan.departures.length > 0) await leaveUsers(trx, plan.departures)
    }
    return moveImport(trx, at, lot, plan.outcomes)
  })

/**
 * Throws the fault `invalid_state` when the import has ended, or when it is not at `offset`. In the second case the fault's detail says the right
 * offset.
 */
export function checkIsAt({ report: { state, offset: next } }: ImportRecord, offset: number): void {
  if (state !== 'receiving') throw fault('invalid_state', `The import is ${state}.`)
  if (offset !== next)
    throw fault('invalid_state', `The import goes on at offset ${next}.`, [{ path: 'offset', message: `must be ${next}` }])
}

type Known = { devices: KnownDevice[]; users: KnownUser[] }

/**
 * Reads and locks the devices and users of the rows. With `keep` a known device stays as it is, so the device is not locked, and no user is read for
 * its row.
 */
async function readAndLock(trx: Db, { appId, report }: ImportRecord, rows: ImportRow[]): Promise<Known> {
  const isUpdate = report.onExisting === 'update'
  const devices = await findDevicesAt(trx, keysOf(rows), { lock: isUpdate })
  const there = new Set(devices.map(({ key }) => key))
  const users = await findUsers(trx, {
    appId,
    ids: isUpdate ? [...new Set(devices.map(({ userId }) => userId))] : [],
    names: namesOf(isUpdate ? rows : rows.filter(({ key }) => !there.has(key))),
    lock: true,
  })
  return { devices, users }
}

const readDry = (trx: Db, { appId, report }: ImportRecord, rows: ImportRow[]): Promise<Known> =>
  readWithDry(trx, { appId, importId: report.id, keys: keysOf(rows), names: namesOf(rows) })

const keysOf = (rows: ImportRow[]): string[] => [...new Set(rows.map(({ key }) => key))]
const namesOf = (rows: ImportRow[]): string[] => [...new Set(rows.flatMap(({ externalId }) => externalId ?? []))]
