import { fault, invalidField, notFound, type FaultDetail } from '@herald/contracts/fault'
import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { Platform } from '@herald/contracts/platform'
import { mostTestDevices, mostTested, type NotQueued, type TestDevice, type TestSelector } from '@herald/contracts/test-send'
import { transact } from '@herald/service/postgres'
import { maskAddress } from './core/mask.ts'
import type { Db } from '../store/tables.ts'
import {
  deleteMark,
  findDevices,
  findMarked,
  findMarkedOf,
  holdDevice,
  insertMark,
  type Found,
  type MarkedRow,
} from './store/test-devices.ts'

/** Makes a device a test device, or an ordinary one again (spec: administration/test-devices). Faults: not_found, limit_reached. */
export async function markTestDevice(
  db: Db,
  { appId, subscriptionId, test }: { appId: string; subscriptionId: string; test: boolean },
): Promise<{ id: string; optedIn: boolean; test: boolean }> {
  return transact(db, async (trx) => {
    const device = await holdDevice(trx, appId, subscriptionId)
    if (!device) throw notFound()
    if (!test) await deleteMark(trx, subscriptionId)
    else if ((await insertMark(trx, appId, subscriptionId)) === 'too many')
      throw fault('limit_reached', `An app has at most ${mostTestDevices} test devices.`)
    return { ...device, test }
  })
}

/** Fault: invalid_body at `cursor`. */
export async function listTestDevices(
  db: Db,
  { appId, limit, cursor }: { appId: string; limit: number; cursor?: string | undefined },
): Promise<Listed<TestDevice>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const rows = await findMarked(db, appId, { limit, after })
  const places = rows.map((row) => ({ id: row.id, createdAt: row.marked_at, row }))
  return listed(places, limit, ({ row }) => toTestDevice(row))
}

const toTestDevice = (row: MarkedRow): TestDevice => ({
  id: row.id,
  userId: row.user_id,
  externalId: row.external_id,
  platform: row.platform,
  ...(row.platform === 'web' ? { endpoint: maskAddress(row.address) } : { token: maskAddress(row.address) }),
  optedIn: row.opted_in,
  invalidatedAt: row.invalidated_at?.toISOString() ?? null,
  appVersion: row.app_version,
  osVersion: row.os_version,
  deviceModel: row.device_model,
  browser: row.browser,
  createdAt: row.created_at.toISOString(),
  lastActiveAt: row.last_active_at.toISOString(),
  markedAt: row.marked_at.toISOString(),
})

export type ForTest = { subscriptionId: string; platform: Platform; unreachable: NotQueued['code'] | null }

/**
 * The devices that a test names (spec: administration/test-send-devices): one that may be any, or test devices. Faults: not_found (the one device); invalid_body at
 * `subscriptionIds.<i>` of what is no test device, and at the selector above 20 devices.
 */
export async function findTestDevices(
  db: Db,
  { appId, selector }: { appId: string; selector: TestSelector },
): Promise<{ devices: ForTest[] }> {
  const devices = await findNamed(db, appId, selector)
  if (devices.length > mostTested) throw invalidField(Object.keys(selector)[0] ?? '', `must mean at most ${mostTested} test devices in all`)
  return {
    devices: devices.map((device) => ({ subscriptionId: device.id, platform: device.platform, unreachable: whyUnreachable(device) })),
  }
}

async function findNamed(db: Db, appId: string, selector: TestSelector): Promise<Found[]> {
  if ('subscriptionId' in selector) {
    const devices = await findDevices(db, appId, [selector.subscriptionId])
    if (devices.length === 0) throw notFound()
    return devices
  }
  if (!('subscriptionIds' in selector)) return findMarkedOf(db, appId, selector)
  const devices = await findDevices(db, appId, selector.subscriptionIds)
  const marked = new Set(devices.flatMap(({ id, is_marked }) => (is_marked ? [id] : [])))
  const message = 'must be a test device of this app'
  const wrong = selector.subscriptionIds.flatMap((id, at): FaultDetail[] =>
    marked.has(id) ? [] : [{ path: `subscriptionIds.${at}`, message }],
  )
  if (wrong[0]) throw fault('invalid_body', `${wrong[0].path} ${message}`, wrong)
  return devices
}

const whyUnreachable = ({ opted_in, invalidated_at }: Found): ForTest['unreachable'] => {
  if (invalidated_at !== null) return 'invalidated'
  return opted_in ? null : 'opted_out'
}
