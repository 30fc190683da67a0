import type { KeyKind } from '@herald/contracts/administration'
import { Fault, notFound, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { group } from '@herald/service/group'
import { toDevice, type Device } from './core/device.ts'
import { decideOwnership, maxDevicesPerUser, maxTagsPerUser, tooManyDevices, tooManyTags } from './core/identity.ts'
import { openOrder } from './core/in-order.ts'
import { countTags, toPersonChanges, type PersonChanges } from './core/person.ts'
import { leaveUsers } from './store/abandoned-users.ts'
import { isErased } from './store/erased-apps.ts'
import {
  countDevicesOf,
  lockDevices,
  takeBackUsers,
  writeDevices,
  writePeople,
  type DeviceToWrite,
  type IfLocked,
  type PersonToWrite,
} from './store/registrations.ts'
import type { Db } from './store/tables.ts'
import { keyOfPerson, lockUsers } from './store/users.ts'
import { transactIdentity } from './transact-identity.ts'

export type Registered = { id: string; platform: Platform; userId: string }
type Asked = { appId: string; subscription: RegisterSubscription; keyKind?: KeyKind | undefined }
type Registration = { appId: string; device: Device; externalId: string | null; changes: PersonChanges; byBackend: boolean }

/** `meets another`: a row that it needs is another's for the moment, in this commit or in another transaction. Nothing was done then. */
type Outcome = Registered | Fault | 'meets another'

/** Registrations of one commit: 100 take about 10 ms, so that who comes next does not wait long. */
const mostTogether = 100
/** Of one address or person: what takes longer than these is answered too late for who asks. */
const mostOfOneKey = 100
const attempts = 5

/**
 * Registers devices in company: those that wait together are one commit. Two of the same address or the same external id are done one after
 * another, as they came. What meets another's row (a second device of the same user, a page that holds users for a frequency cap) leaves the
 * company and waits alone, on a connection of its own that `inTurn` lets it have when it is its app's turn.
 */
export function openRegistrations(
  db: Db,
  sharing: Omit<Parameters<typeof group>[1], 'limit' | 'turn'>,
  inTurn: <Answer>(work: () => Promise<Answer>, turn: string) => Promise<Answer>,
): (asked: Asked) => Promise<Registered> {
  const inOrder = openOrder({ most: mostOfOneKey, full: queueUnavailable })
  const together = group((registrations: Registration[]) => registerAll(db, registrations, 'pass'), {
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
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const [outcome = 'meets another'] = await registerAll(db, [registration], 'wait')
    if (outcome !== 'meets another') return orThrow(outcome)
    // What is not written was made by somebody else at the same moment, and is found the next time, or is of an erased app.
    if (await isErased(db, registration.appId)) throw notFound()
  }
  throw queueUnavailable()
}

/**
 * One transaction for registrations of different addresses and different external ids; answers an outcome for each. Each is written whole or
 * not at all. Whether a new device can be written only its insert says, so the person whom it joins is changed after it.
 */
const registerAll = (db: Db, registrations: Registration[], ifLocked: IfLocked): Promise<Outcome[]> =>
  transactIdentity(db, async (trx) => {
    const decided = await decide(trx, registrations, ifLocked)
    const planned = decided.filter((one) => 'person' in one)
    const isChangedLast = ({ person, device }: Planned) => device.isNew && !person.isNew

    const people = await writePeople(trx, peopleOf(planned.filter((one) => !isChangedLast(one))))
    const ready = planned.filter((one) => isChangedLast(one) || people.has(one.person.userId))
    const devices = await writeDevices(
      trx,
      ready.map(({ device }) => device),
    )
    await writePeople(trx, peopleOf(ready.filter((one) => isChangedLast(one) && devices.has(one.device.id))))
    const unused = ready.filter(({ person, device }) => person.isNew && !devices.has(device.id))
    if (unused.length > 0)
      await takeBackUsers(
        trx,
        unused.map(({ person }) => person.userId),
      )
    const left = ready.flatMap(({ leaves }) => leaves ?? [])
    if (left.length > 0) await leaveUsers(trx, left)

    return decided.map((one) => {
      if (!('person' in one)) return one.outcome
      const { person, device } = one
      return devices.has(device.id) ? { id: device.id, platform: device.device.platform, userId: person.userId } : 'meets another'
    })
  })

const peopleOf = (planned: Planned[]): PersonToWrite[] => planned.map(({ person }) => person)

type Planned = { person: PersonToWrite; device: DeviceToWrite; leaves: string | null }

/** Locks the rows that registrations are about and decides by the identity rules what is to be written. Each user is in one plan at most. */
async function decide(
  db: Db,
  registrations: Registration[],
  ifLocked: IfLocked,
): Promise<(Planned | { outcome: Fault | 'meets another' })[]> {
  const devices = new Map(
    (
      await lockDevices(
        db,
        registrations.map(({ device }) => device.addressHash),
        ifLocked,
      )
    ).map((device) => [device.addressHash.toString('hex'), device]),
  )
  const names = registrations.flatMap(({ appId, externalId }) => (externalId === null ? [] : [{ appId, externalId }]))
  const ids = [...devices.values()].map(({ userId }) => userId)
  const people = names.length + ids.length === 0 ? [] : await lockUsers(db, { ids, names }, ifLocked)
  const byId = new Map(people.map((person) => [person.id, person]))
  const byName = new Map(
    people.flatMap((person) =>
      person.externalId === null ? [] : [[keyOfPerson({ appId: person.appId, externalId: person.externalId }), person] as const],
    ),
  )

  const meant = new Set<string>()
  const joining: string[] = []
  const plans = registrations.map(({ appId, device, externalId, changes, byBackend }): Planned | 'meets another' => {
    const known = devices.get(device.addressHash.toString('hex'))
    const owner = known ? byId.get(known.userId) : null
    const holder = (externalId === null ? undefined : byName.get(keyOfPerson({ appId, externalId }))) ?? null
    const involved = [owner?.id, holder?.id].filter((id) => id !== undefined)
    if (owner === undefined || involved.some((id) => meant.has(id))) return 'meets another'
    for (const id of involved) meant.add(id)

    const ownership = decideOwnership(owner, externalId, holder)
    const isNew = ownership.kind === 'create'
    const userId = isNew ? newId() : ownership.userId
    if (ownership.kind === 'join') joining.push(userId)
    const named = ownership.kind === 'create' || ownership.kind === 'rename' ? ownership.externalId : null
    return {
      person: { userId, appId, externalId: named, isNew, changes, byBackend },
      device: { id: known?.id ?? newId(), appId, userId, isNew: !known, device },
      leaves: known && known.userId !== userId ? known.userId : null,
    }
  })

  const counts = joining.length === 0 ? new Map<string, number>() : await countDevicesOf(db, joining)
  const isFull = ({ person }: Planned) => joining.includes(person.userId) && (counts.get(person.userId) ?? 0) >= maxDevicesPerUser
  const hasTooManyTags = ({ person }: Planned) => countTags(byId.get(person.userId)?.tagNames ?? [], person.changes.tags) > maxTagsPerUser
  return plans.map((plan) => {
    if (plan === 'meets another') return { outcome: plan }
    if (isFull(plan)) return { outcome: tooManyDevices() }
    return hasTooManyTags(plan) ? { outcome: tooManyTags() } : plan
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
