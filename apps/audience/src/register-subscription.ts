import type { KeyKind } from '@herald/contracts/administration'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { toDevice, type Device } from './core/device.ts'
import { toPersonChanges, type PersonChanges } from './core/person.ts'
import { mergePerson } from './merge-person.ts'
import { leaveUser } from './store/abandoned-users.ts'
import { insertSubscription, lockSubscription, refreshSubscription, updateSubscription, type Registered } from './store/subscriptions.ts'
import type { Db } from './store/tables.ts'
import { markByBackend } from './store/users.ts'
import { takeOwner } from './take-owner.ts'
import { transactIdentity } from './transact-identity.ts'

type Registration = { appId: string; device: Device; externalId: string | null; changes: PersonChanges; keyKind?: KeyKind | undefined }

/**
 * Registers a device or finds it again (api.md, POST /v1/subscriptions), by the identity rules of decisions.md 6. Called on
 * every app start, so what changes nothing is one statement. Faults: `limit_reached` (101st device of a user), `invalid_body`
 * at `tags` (101st tag).
 */
export async function registerSubscription(
  { db }: { db: Db },
  { appId, subscription, keyKind }: { appId: string; subscription: RegisterSubscription; keyKind?: KeyKind | undefined },
): Promise<Registered> {
  const registration: Registration = {
    appId,
    device: toDevice(subscription),
    externalId: subscription.externalId ?? null,
    changes: toPersonChanges(subscription),
    keyKind,
  }
  return (await refreshSubscription(db, registration)) ?? (await transactIdentity(db, (trx) => register(trx, registration)))
}

async function register(db: Db, { appId, device, externalId, changes, keyKind }: Registration): Promise<Registered> {
  const known = await lockSubscription(db, { appId, addressHash: device.addressHash })
  const { userId, leaves } = await takeOwner(db, { appId, ownerId: known?.userId ?? null, externalId })
  await mergePerson(db, userId, changes, 'device')

  const id = known?.id ?? newId()
  if (known) await updateSubscription(db, { id, userId, device })
  else await insertSubscription(db, { id, appId, userId, device })
  if (keyKind !== 'public') await markByBackend(db, userId)
  if (leaves !== null) await leaveUser(db, leaves)
  return { id, platform: device.platform, userId }
}
