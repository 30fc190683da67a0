import { fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { decideOwnership, maxDevicesPerUser, type Ownership } from './core/identity.ts'
import { countDevices } from './store/subscriptions.ts'
import type { Db } from './store/tables.ts'
import { insertUser, lockUsers, nameUser } from './store/users.ts'

export type NewOwner = {
  userId: string
  /** Whom the device moves away from: to be left when it has moved. */
  leaves: string | null
}

/**
 * Decides by the identity rules whose a device is to be and makes that user ready to have it. `ownerId`: whose it is now, null
 * for a device never seen, whose row the caller has locked otherwise. Fault: `limit_reached` (101st device of a user).
 */
export async function takeOwner(
  db: Db,
  { appId, ownerId, externalId }: { appId: string; ownerId: string | null; externalId: string | null },
): Promise<NewOwner> {
  const people = ownerId !== null || externalId !== null ? await lockUsers(db, { appId, ownerId, externalId }) : []
  const owner = people.find(({ id }) => id === ownerId) ?? null
  const holder = people.find((person) => externalId !== null && person.externalId === externalId) ?? null
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
      if ((await countDevices(db, ownership.userId)) >= maxDevicesPerUser) {
        throw fault('limit_reached', `A user has at most ${maxDevicesPerUser} devices. Remove one that is not used any more.`)
      }
      return ownership.userId
    case 'create': {
      const id = newId()
      await insertUser(db, { id, appId, externalId: ownership.externalId })
      return id
    }
  }
}
