import { fault, invalidField, notFound, type FaultDetail } from '@herald/contracts/fault'
import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { Platform } from '@herald/contracts/platform'
import { mostTestDevices, mostTested, type NotQueued, type TestDevice, type TestSelector } from '@herald/contracts/test-send'
import { maskAddress } from './core/device.ts'
import type { Db } from '../store/tables.ts'
import { transactIdentity } from './transact-identity.ts'
import {
  deleteMark,
  findDevices,
  findMarked,
  findMarkedOf,
  holdDevice,
  insertMark,
  type Found,
  type MarkedDevice,
} from './store/test-devices.ts'

/** Marks a device as a test device, or removes the mark (spec: administration/test-devices). Faults: `not_found`, `limit_reached`. */
export async function markTestDevice(
  { db }: { db: Db },
  { appId, subscriptionId, test }: { appId: string; subscriptionId: string; test: boolean },
): Promise<{ id: string; optedIn: boolean; test: boolean }> {
  return transactIdentity(db, async (trx) => {
    const device = await holdDevice(trx, appId, subscriptionId)
    if (!device) throw notFound()
    if (!test) await deleteMark(trx, subscriptionId)
    else if ((await insertMark(trx, appId, subscriptionId)) === 'too many')
      throw fault('limit_reached', `An app has at most ${mostTestDevices} test devices.`)
    return { ...device, test }
  })
}

/** Gives a page of an app's test devices, in the order of their marks, newest first. Fault: `invalid_body` at `cursor`. */
export async function listTestDevices(
  db: Db,
  { appId, limit, cursor }: { appId: string; limit: number; cursor?: string | undefined },
): Promise<Listed<TestDevice>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const marked = await findMarked(db, appId, { limit, after })
  const places = marked.map((device) => ({ id: device.id, createdAt: device.markedAt, device }))
  return listed(places, limit, ({ device }) => toTestDevice(device))
}

const toTestDevice = ({ address, ...device }: MarkedDevice): TestDevice => ({
  ...device,
  ...(device.platform === 'web' ? { endpoint: maskAddress(address) } : { token: maskAddress(address) }),
  invalidatedAt: device.invalidatedAt?.toISOString() ?? null,
  createdAt: device.createdAt.toISOString(),
  lastActiveAt: device.lastActiveAt.toISOString(),
  markedAt: device.markedAt.toISOString(),
})

export type ForTest = { subscriptionId: string; platform: Platform; unreachable: NotQueued['code'] | null }

/**
 * Finds the devices of a test: any single device, or test devices (spec: administration/test-send-devices). Faults: `not_found` (the single device),
 * `invalid_body` at `subscriptionIds.<i>` (no test device), or at the selector (more than 20).
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
  const marked = new Set(devices.flatMap(({ id, isMarked }) => (isMarked ? [id] : [])))
  const message = 'must be a test device of this app'
  const wrong = selector.subscriptionIds.flatMap((id, at): FaultDetail[] =>
    marked.has(id) ? [] : [{ path: `subscriptionIds.${at}`, message }],
  )
  if (wrong[0]) throw fault('invalid_body', `${wrong[0].path} ${message}`, wrong)
  return devices
}

const whyUnreachable = ({ optedIn, invalidatedAt }: Found): ForTest['unreachable'] => {
  if (invalidatedAt !== null) return 'invalidated'
  return optedIn ? null : 'opted_out'
}
