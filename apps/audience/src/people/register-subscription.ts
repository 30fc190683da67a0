import type { KeyKind } from '@herald/contracts/administration'
import { Fault, notFound, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { group } from '@herald/service/group'
import { transact } from '@herald/service/postgres'
import { isErased } from '@herald/service/erased-apps'
import { canonicalToken, hashAddress, toDevice, type Device } from './core/device.ts'
import {
  countTagBytes,
  decideOwnership,
  faultOfTags,
  maxDevicesPerUser,
  tooManyDevices,
  tagSizesAfter,
  toUserUpdate,
  type TagSizes,
  type UserUpdate,
} from './core/identity.ts'
import type { PeopleTurns } from './people-turns.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { moveDevice } from './rotate-subscription.ts'
import { findKnown, lockDevices, writeRegistrations, type Decided, type Known, type FoundUser, type Sought } from './store/registrations.ts'
import type { Db } from '../store/tables.ts'
import { userKeyOf, lockUsers } from './store/users.ts'
import { identityAttempts, pauseAfter, retryIdentity, transactIdentity } from './transact-identity.ts'

export type Registered = { id: string; platform: Platform; userId: string }
type Asked = { appId: string; subscription: RegisterSubscription; keyKind?: KeyKind | undefined }
type Registration = {
  appId: string
  device: Device
  /** The former token of the phone, as it is stored; null when the registration names none. */
  old: string | null
  externalId: string | null
  changes: UserUpdate
  byBackend: boolean
}

/**
 * The result of a registration. `row in use`: nothing was written, because another transaction or registration uses, changed or makes one of its
 * rows, or the app was erased.
 */
type Outcome = Registered | Fault | 'row in use'

/** At most this many registrations share a commit. Such a commit takes about 10 ms, so the next registrations do not wait long. */
const mostTogether = 100

/**
 * Makes the function that registers devices. Registrations that wait at the same time share one commit; those with the same address or external id
 * run in the order in which they came.
 */
export function openRegistrations(
  { db, frequentDb }: { db: Db; frequentDb: Db },
  sharing: Omit<Parameters<typeof group>[1], 'limit' | 'appOf'>,
  { inOrder, inTurn }: PeopleTurns,
): (asked: Asked) => Promise<Registered> {
  const together = group((registrations: Registration[]) => retryIdentity(() => registerAll({ db, frequentDb }, registrations)), {
    ...sharing,
    limit: mostTogether,
    appOf: ({ appId }) => appId,
  })

  return (asked) => {
    const registration = toRegistration(asked)
    const { appId, device, old, externalId } = registration
    const keys = [device.addressHash.toString('hex'), ...(externalId === null ? [] : [userKeyOf({ appId, externalId })])]
    if (old !== null) keys.push(hashAddress(appId, 'token', old).toString('hex'))
    return inOrder(keys, async () => {
      if (old !== null) return inTurn(() => registerAlone(db, registration), appId)
      const outcome = await together(registration)
      // Waits for locks alone, so that it does not keep the registrations of a shared commit waiting.
      return outcome === 'row in use' ? inTurn(() => registerAlone(db, registration), appId) : orThrow(outcome)
    })
  }
}

/**
 * Registers one device by the identity rules (core/identity.ts), and waits for locks of its rows. Faults: `limit_reached` (101st device of a user),
 * `invalid_body` at `tags` (101st tag), `not_found` (erased app), `queue_unavailable` (rows stayed in use).
 */
export const registerSubscription = ({ db }: { db: Db }, asked: Asked): Promise<Registered> => registerAlone(db, toRegistration(asked))

async function registerAlone(db: Db, registration: Registration): Promise<Registered> {
  for (let attempt = 1; attempt <= identityAttempts; attempt += 1) {
    const [outcome = 'row in use'] = await transactIdentity(db, async (trx) => {
      await moveFromOld(trx, registration)
      await lockRowsOf(trx, registration)
      const outcomes = await registerAll({ db: trx, frequentDb: trx }, [registration])
      // A refused registration changes nothing: the fault undoes the move from the old token too.
      return outcomes.map((one) => (one === 'row in use' ? one : orThrow(one)))
    })
    if (outcome !== 'row in use') return outcome
    // The registration was not written. Either another transaction made the device or the user at the same moment, and the next attempt finds that row, or the
    // app was erased.
    if (await isErased(db, registration.appId)) throw notFound()
    await pauseAfter(attempt)
  }
  throw queueUnavailable()
}

/**
 * Gives the device at the former token of a phone its new token, so that the phone stays one device (spec: identity/old-token). Nothing happens when
 * no device has the former token.
 */
async function moveFromOld(trx: Db, { appId, device: { addressHash, address, keys }, old }: Registration): Promise<void> {
  if (old !== null) await moveDevice(trx, hashAddress(appId, 'token', old), { addressHash, address, keys })
}

/** Locks the device that has the registration's address, then the device's owner and the user with the external id. */
async function lockRowsOf(trx: Db, { appId, externalId, device }: Registration): Promise<void> {
  const devices = await lockDevices(trx, [device.addressHash])
  const names = externalId === null ? [] : [{ appId, externalId }]
  if (devices.length + names.length > 0) await lockUsers(trx, { ids: devices.map(({ userId }) => userId), names })
}

/**
 * Writes registrations of different addresses and external ids, and gives each result. One statement reads their rows, a second writes those with
 * unchanged rows. When a device leaves a user there is a third, in a transaction.
 */
async function registerAll({ db, frequentDb }: { db: Db; frequentDb: Db }, registrations: Registration[]): Promise<Outcome[]> {
  const decided = decide(registrations, await findKnown(frequentDb, registrations.map(toSought)))
  const planned = decided.filter((one) => 'plan' in one)
  const write = async (on: Db) => {
    const written = await writeRegistrations(
      on,
      planned.map(({ plan }) => plan),
      planned.flatMap(({ users }) => users),
    )
    const left = planned.flatMap(({ plan, leaves }) =>
      leaves !== null && written.has(plan.deviceId) ? [{ userId: leaves, subscriptionId: plan.deviceId }] : [],
    )
    if (left.length > 0) await leaveUsers(on, left)
    return written
  }
  // The connections of `frequentDb` keep query plans (docs/decisions/0032).
  const isOneStatement = db.isTransaction || planned.every(({ leaves }) => leaves === null)
  const written = await (isOneStatement ? write(frequentDb) : transact(db, write))

  return decided.map((one) => {
    if (!('plan' in one)) return one.outcome
    const { deviceId, device, userId } = one.plan
    return written.has(deviceId) ? { id: deviceId, platform: device.platform, userId } : 'row in use'
  })
}

const noTags: TagSizes = new Map()

function toSought({ appId, device, externalId, changes }: Registration): Sought {
  const set = tagSizesAfter(noTags, changes.tags)
  return {
    addressHash: device.addressHash,
    name: externalId === null ? null : userKeyOf({ appId, externalId }),
    setsTags: set.size,
    setsBytes: countTagBytes(set),
  }
}

/** The plan of a registration's writes. `users`: the users on whose rows the plan depends. `leaves`: the user whom the device leaves, or null. */
type Planned = { plan: Decided; users: FoundUser[]; leaves: string | null }

/** Decides by the identity rules what to write for each registration. A registration whose user is in an earlier plan gets `row in use`. */
function decide(registrations: Registration[], known: Known[]): (Planned | { outcome: Fault | 'row in use' })[] {
  const planned = new Set<string>()
  return registrations.map(({ appId, device, externalId, changes, byBackend }, place) => {
    const { device: found = null, named = null, namedDevices = 0 } = known[place] ?? {}
    const owner = found?.owner ?? null
    const users = [owner, named?.id === owner?.id ? null : named].filter((user) => user !== null)
    if (users.some(({ id }) => planned.has(id))) return { outcome: 'row in use' }
    for (const { id } of users) planned.add(id)

    const ownership = decideOwnership(owner, externalId, named)
    if (ownership.kind === 'join' && namedDevices >= maxDevicesPerUser) return { outcome: tooManyDevices() }
    const isUserNew = ownership.kind === 'create'
    const userId = isUserNew ? newId() : ownership.userId
    const before = users.find(({ id }) => id === userId)?.tagSizes ?? noTags
    const refusal = faultOfTags(tagSizesAfter(before, changes.tags), changes.tags)
    if (refusal) return { outcome: refusal }
    const newName = ownership.kind === 'create' || ownership.kind === 'rename' ? ownership.externalId : null
    return {
      plan: {
        ...{ appId, userId, isUserNew, device, changes, byBackend },
        deviceId: found?.id ?? newId(),
        ownerId: owner?.id ?? null,
        externalId: newName,
      },
      users,
      leaves: owner !== null && owner.id !== userId ? owner.id : null,
    }
  })
}

function toRegistration({ appId, subscription, keyKind }: Asked): Registration {
  const device = toDevice(appId, subscription)
  const old = 'old' in subscription && subscription.old !== undefined ? canonicalToken(device.platform, subscription.old) : null
  return {
    appId,
    device,
    old: old === device.address ? null : old,
    externalId: subscription.externalId ?? null,
    changes: toUserUpdate(subscription),
    byBackend: keyKind !== 'public',
  }
}

function orThrow(outcome: Registered | Fault): Registered {
  if (outcome instanceof Fault) throw outcome
  return outcome
}
