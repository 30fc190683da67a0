import type { KeyKind } from '@herald/contracts/administration'
import { Fault, notFound, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { group } from '@herald/service/group'
import { transact } from '@herald/service/postgres'
import { toDevice, type Device } from './core/device.ts'
import { decideOwnership, maxDevicesPerUser, maxTagsPerUser, tooManyDevices, tooManyTags } from './core/identity.ts'
import { openOrder } from './core/in-order.ts'
import { countTags, toPersonChanges, type PersonChanges } from './core/person.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { isErased } from '../store/erased-apps.ts'
import { findKnown, lockDevices, writeRegistrations, type Decided, type Seen, type SeenPerson, type Sought } from './store/registrations.ts'
import type { Db } from '../store/tables.ts'
import { keyOfPerson, lockUsers } from './store/users.ts'
import { identityAttempts, pauseAfter, retryIdentity, transactIdentity } from './transact-identity.ts'

export type Registered = { id: string; platform: Platform; userId: string }
type Asked = { appId: string; subscription: RegisterSubscription; keyKind?: KeyKind | undefined }
type Registration = { appId: string; device: Device; externalId: string | null; changes: PersonChanges; byBackend: boolean }

/** `meets another`: a row that it needs is another's for the moment, in this commit or in another transaction. Nothing was done then. */
type Outcome = Registered | Fault | 'meets another'

/** Registrations of one commit: 100 take about 10 ms, so that who comes next does not wait long. */
const mostTogether = 100
/** Of one address or person: what takes longer than these is answered too late for who asks. */
const mostOfOneKey = 100

/**
 * Registers devices in company: those that wait together are one commit. Two of the same address or the same external id are done one after
 * another, as they came. What meets another's row (a second device of the same user, a page that holds users for a frequency cap) leaves the
 * company and waits alone, on a connection of its own that `inTurn` lets it have when it is its app's turn. The company's two statements go by
 * connections that keep plans (docs/decisions/0038).
 */
export function openRegistrations(
  { db, kept }: { db: Db; kept: Db },
  sharing: Omit<Parameters<typeof group>[1], 'limit' | 'turn'>,
  inTurn: <Answer>(work: () => Promise<Answer>, turn: string) => Promise<Answer>,
): (asked: Asked) => Promise<Registered> {
  const inOrder = openOrder({ most: mostOfOneKey, full: queueUnavailable })
  const together = group((registrations: Registration[]) => retryIdentity(() => registerAll({ db, kept }, registrations)), {
    ...sharing,
    limit: mostTogether,
    turn: ({ appId }) => appId,
  })

  return (asked) => {
    const registration = toRegistration(asked)
    const { appId, device, externalId } = registration
    const keys = [device.addressHash.toString('hex'), ...(externalId === null ? [] : [keyOfPerson({ appId, externalId })])]
    return inOrder(keys, async () => {
      const outcome = await together(registration)
      return outcome === 'meets another' ? inTurn(() => registerAlone(db, registration), appId) : orThrow(outcome)
    })
  }
}

/**
 * Registers a device or finds it again, by the identity rules (core/identity.ts), waiting for whoever has its rows. Faults: `limit_reached`
 * (101st device of a user), `invalid_body` at `tags` (101st tag), `not_found` (the app was erased).
 */
export const registerSubscription = ({ db }: { db: Db }, asked: Asked): Promise<Registered> => registerAlone(db, toRegistration(asked))

async function registerAlone(db: Db, registration: Registration): Promise<Registered> {
  for (let attempt = 1; attempt <= identityAttempts; attempt += 1) {
    const [outcome = 'meets another'] = await transactIdentity(db, async (trx) => {
      await lockRowsOf(trx, registration)
      return registerAll({ db: trx, kept: trx }, [registration])
    })
    if (outcome !== 'meets another') return orThrow(outcome)
    // What is not written was made by somebody else at the same moment, and is found the next time, or is of an erased app.
    if (await isErased(db, registration.appId)) throw notFound()
    await pauseAfter(attempt)
  }
  throw queueUnavailable()
}

/** Locks the device and then the people of a registration, as they are now. */
async function lockRowsOf(trx: Db, { appId, externalId, device }: Registration): Promise<void> {
  const devices = await lockDevices(trx, [device.addressHash])
  const names = externalId === null ? [] : [{ appId, externalId }]
  if (devices.length + names.length > 0) await lockUsers(trx, { ids: devices.map(({ userId }) => userId), names })
}

/**
 * Registrations of different addresses and different external ids; answers an outcome for each. Two statements: what there is, and what is
 * written, which holds only where nothing of it has changed in between. A device that leaves a person makes it a transaction, with a third.
 */
async function registerAll({ db, kept }: { db: Db; kept: Db }, registrations: Registration[]): Promise<Outcome[]> {
  const decided = decide(registrations, await findKnown(kept, registrations.map(toSought), maxTagsPerUser))
  const planned = decided.filter((one) => 'plan' in one)
  const write = async (on: Db) => {
    const written = await writeRegistrations(
      on,
      planned.map(({ plan }) => plan),
      planned.flatMap(({ people }) => people),
    )
    const left = planned.flatMap(({ plan, leaves }) =>
      leaves !== null && written.has(plan.deviceId) ? [{ userId: leaves, subscriptionId: plan.deviceId }] : [],
    )
    if (left.length > 0) await leaveUsers(on, left)
    return written
  }
  const isOneStatement = db.isTransaction || planned.every(({ leaves }) => leaves === null)
  const written = await (isOneStatement ? write(kept) : transact(db, write))

  return decided.map((one) => {
    if (!('plan' in one)) return one.outcome
    const { deviceId, device, userId } = one.plan
    return written.has(deviceId) ? { id: deviceId, platform: device.platform, userId } : 'meets another'
  })
}

const toSought = ({ appId, device, externalId, changes }: Registration): Sought => ({
  addressHash: device.addressHash,
  name: externalId === null ? null : keyOfPerson({ appId, externalId }),
  setsTags: countTags([], changes.tags),
})

/** `people`: whose rows it was decided by. `leaves`: whom the device moves away from. */
type Planned = { plan: Decided; people: SeenPerson[]; leaves: string | null }

/** Decides by the identity rules what is to be written. Each user is in one plan at most. */
function decide(registrations: Registration[], known: Seen[]): (Planned | { outcome: Fault | 'meets another' })[] {
  const meant = new Set<string>()
  return registrations.map(({ appId, device, externalId, changes, byBackend }, place) => {
    const { device: found = null, holder = null, holderDevices = 0 } = known[place] ?? {}
    const owner = found?.owner ?? null
    const people = [owner, holder?.id === owner?.id ? null : holder].filter((person) => person !== null)
    if (people.some(({ id }) => meant.has(id))) return { outcome: 'meets another' }
    for (const { id } of people) meant.add(id)

    const ownership = decideOwnership(owner, externalId, holder)
    if (ownership.kind === 'join' && holderDevices >= maxDevicesPerUser) return { outcome: tooManyDevices() }
    const isPersonNew = ownership.kind === 'create'
    const userId = isPersonNew ? newId() : ownership.userId
    const tagNames = people.find(({ id }) => id === userId)?.tagNames ?? []
    if (countTags(tagNames, changes.tags) > maxTagsPerUser) return { outcome: tooManyTags() }
    const named = ownership.kind === 'create' || ownership.kind === 'rename' ? ownership.externalId : null
    return {
      plan: {
        ...{ appId, userId, isPersonNew, device, changes, byBackend },
        deviceId: found?.id ?? newId(),
        ownerId: owner?.id ?? null,
        externalId: named,
      },
      people,
      leaves: owner !== null && owner.id !== userId ? owner.id : null,
    }
  })
}

function toRegistration({ appId, subscription, keyKind }: Asked): Registration {
  return {
    appId,
    device: toDevice(appId, subscription),
    externalId: subscription.externalId ?? null,
    changes: toPersonChanges(subscription),
    byBackend: keyKind !== 'public',
  }
}

function orThrow(outcome: Registered | Fault): Registered {
  if (outcome instanceof Fault) throw outcome
  return outcome
}
