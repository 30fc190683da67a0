import { notFound } from '@herald/contracts/fault'
import type { AddressSearch, Person } from '@herald/contracts/person'
import type { UserAddress } from '@herald/contracts/user'
import { hashAddress } from './core/device.ts'
import { findOwner, maskDevice } from './store/people.ts'
import { findDevicesOf } from './store/subscription-reads.ts'
import type { Db } from '../store/tables.ts'
import { getUserAlone } from './store/users.ts'

/** A user with devices, addresses masked (spec: administration/masked-addresses). Fault: not_found. */
export async function readPerson(db: Db, { appId, user }: { appId: string; user: UserAddress }): Promise<Person> {
  const alone = await getUserAlone(db, appId, user)
  const devices = await findDevicesOf(db, [alone.id])
  return { ...alone, subscriptions: devices.map(maskDevice), preferences: {} }
}

/** Whose device has this token or endpoint. Fault: not_found. */
export async function findPerson(db: Db, { appId, address }: { appId: string; address: AddressSearch }): Promise<Person> {
  const { token, endpoint = '' } = address
  const hash = token === undefined ? hashAddress(appId, 'endpoint', endpoint) : hashAddress(appId, 'token', token)
  const owner = await findOwner(db, hash)
  if (!owner) throw notFound()
  return readPerson(db, { appId, user: owner })
}
