import { newId } from '@herald/contracts/ids'
import { decideOwnership, maxDevicesPerUser, tooManyDevices, type Ownership } from './core/identity.ts'
import { countDevices } from './store/subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { insertUser, lockUsers, nameUser } from './store/users.ts'

export type NewOwner = {
  userId: string
  /** Whom the device moves away from: to be left when it has moved. */
  leaves: string | null
}

/**
 * Decides by the identity rules whose a device is to be and makes that user ready to have it. `ownerId`: whose it is now, by
 * the row that the caller has locked. Fault: `limit_reached` (101st device of a user).
 */
export async function takeOwner(
  db: Db,
  { appId, ownerId, externalId }: { appId: string; ownerId: string; externalId: string },
): Promise<NewOwner> {
  const people = await lockUsers(db, { ids: [ownerId], names: [{ appId, externalId }] })
  const owner = people.find(({ id }) => id === ownerId) ?? null
  const holder = people.find((person) => person.externalId === externalId) ?? null
  const ownership = decideOwnership(owner, externalId, holder)
  const userId = await makeReady(db, appId, ownership)
  return { userId, leaves: ownerId === userId ? null : ownerId }
}

async function makeReady(db: Db, appId: string, ownership: Ownership): Promise<string> {
  switch (ownership.kind) {
    case 'stay':
      return ownership.userId
    case 'rename':
      await nameUser(db, ownership.userId, ownership.externalId)
      return ownership.userId
    case 'join':
      if ((await countDevices(db, ownership.userId)) >= maxDevicesPerUser) throw tooManyDevices()
      return ownership.userId
    case 'create': {
      const id = newId()
      await insertUser(db, { id, appId, externalId: ownership.externalId })
      return id
    }
  }
}
