import type { ImportedDevice } from '@herald/contracts/import'
import type { Platform } from '@herald/contracts/platform'
import { toDevice, type Device } from './device.ts'
import { decideOwnership, maxDevicesPerUser, maxTagsPerUser } from './identity.ts'
import { toPersonChanges, type Person, type PersonChanges } from './person.ts'

/** A row of a file, in the terms of the tables. `key`: what finds the device again. */
export type ImportRow = {
  row: number
  key: string
  device: Device
  externalId: string | null
  changes: PersonChanges
  past: Past
}

/** What a device did before it came here. Null: the file does not say. Times are ISO 8601, so that they compare as texts. */
export type Past = { optedOut: boolean; sessionCount: number | null; createdAt: string | null; lastActiveAt: string | null }

export function toImportRow(appId: string, row: number, imported: ImportedDevice): ImportRow {
  const device = toDevice(appId, imported)
  const { externalId = null, optedIn = true, sessionCount = null, createdAt = null, lastActiveAt = null } = imported
  return {
    row,
    key: device.addressHash.toString('hex'),
    device,
    externalId,
    changes: toPersonChanges(imported),
    past: { optedOut: !optedIn, sessionCount, createdAt, lastActiveAt },
  }
}

/** A device that there is, and whose it is. */
export type KnownDevice = { id: string; key: string; userId: string }
/** A user that there is. `devices`: how many they have. */
export type KnownPerson = Person & { devices: number; tagNames: string[] }

export type PlannedDevice = {
  id: string
  key: string
  isNew: boolean
  userId: string
  device: Device
  past: Past
  /** Since when the address is known to be good: of a new device what its row says, for the others their own. */
  registeredAt: string | null
}
export type PlannedPerson = {
  id: string
  isNew: boolean
  externalId: string | null
  changes: PersonChanges
  createdAt: string | null
  lastActiveAt: string | null
  devices: number
  tagNames: Set<string>
}

export type RowOutcome = { row: number } & (
  | { is: 'created' | 'updated' | 'kept'; platform: Platform; optedOut: boolean }
  | { is: 'rejected'; code: 'device_limit' | 'tag_limit'; at: 'externalId' | 'tags'; message: string }
)

/** What a lot writes. `left`: users whom a device has left; `departures`: which device has left whom, each pair once. */
export type LotPlan = {
  outcomes: RowOutcome[]
  devices: PlannedDevice[]
  people: PlannedPerson[]
  left: PlannedPerson[]
  departures: Departure[]
}

/** A device that has left a user. */
type Departure = { userId: string; subscriptionId: string }

/**
 * Decides what a lot writes, as if its rows came one after another, so that it does not matter where lots are cut. By the identity rules of a
 * registration (core/identity.ts), but for these:
 *   `keep`   changes nothing about a device that is known; of the user of a new device it adds only what is missing;
 *   `update` writes what the row says over both; it opts no device in, revives none and counts no session.
 * `now`: the database's time, ISO 8601. What a row says of times to come counts as now, and so does a new device of which it says no time.
 */
export function planLot(
  known: { devices: KnownDevice[]; people: KnownPerson[] },
  rows: ImportRow[],
  { onExisting, makeId, now }: { onExisting: 'keep' | 'update'; makeId: () => string; now: string },
): LotPlan {
  const people = new Map<string, PlannedPerson & { isTouched: boolean }>()
  const byName = new Map<string, string>()
  const devices = new Map<string, { id: string; userId: string; planned: PlannedDevice | undefined }>()
  const left = new Set<PlannedPerson>()
  const departures = new Map<string, Departure>()
  const addPerson = ({ id, externalId, devices: count, tagNames }: KnownPerson, isNew: boolean) => {
    const nothing = { changes: toPersonChanges({}), createdAt: null, lastActiveAt: null }
    const person = { id, isNew, externalId, ...nothing, devices: count, tagNames: new Set(tagNames), isTouched: isNew }
    people.set(id, person)
    if (externalId !== null) byName.set(externalId, id)
    return person
  }
  for (const person of known.people) addPerson(person, false)
  for (const { id, key, userId } of known.devices) devices.set(key, { id, userId, planned: undefined })

  const decideRow = ({ row, key, device, externalId, changes, past: said }: ImportRow): RowOutcome => {
    const past = {
      ...said,
      createdAt: earlier(said.createdAt, said.createdAt && now),
      lastActiveAt: earlier(said.lastActiveAt, said.lastActiveAt && now),
    }
    const found = devices.get(key)
    const done = (is: 'created' | 'updated' | 'kept') => ({ row, is, platform: device.platform, optedOut: past.optedOut })
    if (found && onExisting === 'keep') return done('kept')

    const owner = found ? (people.get(found.userId) ?? null) : null
    const holder = externalId === null ? null : (people.get(byName.get(externalId) ?? '') ?? null)
    const ownership = decideOwnership(owner, externalId, holder)
    const target = ownership.kind === 'create' ? undefined : people.get(ownership.userId)
    if (ownership.kind === 'join' && (target?.devices ?? 0) >= maxDevicesPerUser)
      return { row, is: 'rejected', code: 'device_limit', at: 'externalId', message: `names a user who has ${maxDevicesPerUser} devices` }
    const tagNames = new Set([...(target?.tagNames ?? []), ...Object.keys(changes.tags)])
    if (tagNames.size > maxTagsPerUser)
      return { row, is: 'rejected', code: 'tag_limit', at: 'tags', message: `would leave the user with more than ${maxTagsPerUser} tags` }

    const person = target ?? addPerson({ id: makeId(), externalId, devices: 0, tagNames: [] }, true)
    if (ownership.kind === 'rename') {
      person.externalId = ownership.externalId
      byName.set(ownership.externalId, person.id)
    }
    person.tagNames = tagNames
    person.isTouched = true
    person.changes = merged(person.changes, changes, onExisting)
    const unsaid = person.isNew ? now : null
    person.createdAt = earlier(person.createdAt, past.createdAt ?? past.lastActiveAt ?? unsaid)
    person.lastActiveAt = later(person.lastActiveAt, past.lastActiveAt ?? past.createdAt ?? unsaid)
    if (!found || found.userId !== person.id) person.devices += 1
    if (owner && owner.id !== person.id) {
      owner.devices -= 1
      left.add(owner)
      if (found) departures.set(`${owner.id} ${found.id}`, { userId: owner.id, subscriptionId: found.id })
    }

    const before = found?.planned
    const planned: PlannedDevice = {
      id: found?.id ?? makeId(),
      key,
      isNew: found === undefined || (before?.isNew ?? false),
      userId: person.id,
      device: before ? over(before.device, device) : device,
      past: before ? joined(before.past, past) : found ? past : begun(past, now),
      registeredAt: before ? before.registeredAt : past.lastActiveAt,
    }
    devices.set(key, { id: planned.id, userId: person.id, planned })
    return done(found ? 'updated' : 'created')
  }

  return {
    outcomes: rows.map(decideRow),
    devices: [...devices.values()].flatMap(({ planned }) => planned ?? []),
    people: [...people.values()].filter(({ isTouched }) => isTouched),
    left: [...left],
    departures: [...departures.values()],
  }
}

/** Two rows about one user: with `keep` the first one counts, with `update` the last. */
function merged(before: PersonChanges, row: PersonChanges, onExisting: 'keep' | 'update'): PersonChanges {
  const [first, second] = onExisting === 'keep' ? [before, row] : [row, before]
  return {
    tags: { ...second.tags, ...first.tags },
    language: first.language ?? second.language,
    timezone: first.timezone ?? second.timezone,
    country: first.country ?? second.country,
  }
}

/** What a later row says over an earlier one; what it leaves out stays. */
const over = (before: Device, device: Device): Device => ({
  ...device,
  appVersion: device.appVersion ?? before.appVersion,
  sdkVersion: device.sdkVersion ?? before.sdkVersion,
  osVersion: device.osVersion ?? before.osVersion,
  deviceModel: device.deviceModel ?? before.deviceModel,
  browser: device.browser ?? before.browser,
  standalone: device.standalone ?? before.standalone,
})

/** The past of a device that is new here: of its two times each stands for the other. */
const begun = ({ createdAt, lastActiveAt, ...past }: Past, now: string): Past => ({
  ...past,
  createdAt: createdAt ?? lastActiveAt ?? now,
  lastActiveAt: lastActiveAt ?? createdAt ?? now,
})

const joined = (before: Past, row: Past): Past => ({
  optedOut: before.optedOut || row.optedOut,
  sessionCount:
    before.sessionCount === null || row.sessionCount === null
      ? (before.sessionCount ?? row.sessionCount)
      : Math.max(before.sessionCount, row.sessionCount),
  createdAt: earlier(before.createdAt, row.createdAt),
  lastActiveAt: later(before.lastActiveAt, row.lastActiveAt),
})

/** The earlier and the later of two times; null is none. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}
