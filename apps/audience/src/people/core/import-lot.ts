import type { Choices } from '@herald/contracts/category'
import type { ImportedDevice } from '@herald/contracts/import'
import type { Platform } from '@herald/contracts/platform'
import type { TagChanges } from '@herald/contracts/text'
import { toDevice, type Device } from './device.ts'
import {
  countTagBytes,
  decideOwnership,
  maxDevicesPerUser,
  maxTagBytes,
  maxTagsPerUser,
  tagSizesAfter,
  toUserUpdate,
  type TagSizes,
  type Departure,
  type UserIdentity,
  type UserUpdate,
} from './identity.ts'

/** A row of an import's file, with the fields of the tables. `key`: the hash of the device's address in hex, by which the device is found. */
export type ImportRow = {
  row: number
  key: string
  device: Device
  externalId: string | null
  changes: UserUpdate
  choices: Choices
  past: Past
}

/** A device's past before the import, as the file says; null where the file says nothing. Times are in ISO 8601 and can be compared as texts. */
export type Past = { optedOut: boolean; sessionCount: number | null; createdAt: string | null; lastActiveAt: string | null }

export function toImportRow(appId: string, row: number, imported: ImportedDevice): ImportRow {
  const device = toDevice(appId, imported)
  const { externalId = null, optedIn = true, sessionCount = null, createdAt = null, lastActiveAt = null } = imported
  return {
    row,
    key: device.addressHash.toString('hex'),
    device,
    externalId,
    changes: toUserUpdate(imported),
    choices: imported.preferences ?? {},
    past: { optedOut: !optedIn, sessionCount, createdAt, lastActiveAt },
  }
}

/** A device that exists, with its owner. */
export type KnownDevice = { id: string; key: string; userId: string }
/** A user who exists. `devices`: how many devices the user has. */
export type KnownUser = UserIdentity & { devices: number; tagSizes: TagSizes }

export type PlannedDevice = {
  id: string
  key: string
  isNew: boolean
  userId: string
  device: Device
  past: Past
  /**
   * When a new device was last active, as its first row in the lot says: its address was certainly valid until then. Null when the row does not say
   * it.
   */
  registeredAt: string | null
}
export type PlannedUser = {
  id: string
  isNew: boolean
  externalId: string | null
  changes: UserUpdate
  /** The choices of categories that the file says. */
  choices: Choices
  createdAt: string | null
  lastActiveAt: string | null
  devices: number
  tagSizes: TagSizes
}

export type RowOutcome = { row: number } & (
  | { is: 'created' | 'updated' | 'kept'; platform: Platform; optedOut: boolean; leftOutTags: boolean }
  | { is: 'rejected'; code: 'device_limit'; at: 'externalId'; message: string }
)

/**
 * What audience writes for a lot, a group of at most 500 rows of an import's file, in one transaction. `left`: the users whom a device leaves.
 * `departures`: which device leaves which user, each pair once.
 */
export type LotPlan = {
  outcomes: RowOutcome[]
  devices: PlannedDevice[]
  users: PlannedUser[]
  left: PlannedUser[]
  departures: Departure[]
}

/**
 * Decides what to write for a lot, as if its rows were done one after another. `update` overwrites device and user, but opts no device in, makes none
 * valid and counts no session. `now`: the database's time, ISO 8601.
 */
export function planLot(
  known: { devices: KnownDevice[]; users: KnownUser[] },
  rows: ImportRow[],
  { onExisting, makeId, now }: { onExisting: 'keep' | 'update'; makeId: () => string; now: string },
): LotPlan {
  const users = new Map<string, PlannedUser & { isTouched: boolean }>()
  const byName = new Map<string, string>()
  const devices = new Map<string, { id: string; userId: string; planned: PlannedDevice | undefined }>()
  const left = new Set<PlannedUser>()
  const departures = new Map<string, Departure>()
  const addUser = ({ id, externalId, devices: count, tagSizes }: KnownUser, isNew: boolean) => {
    const nothing = { changes: toUserUpdate({}), choices: {}, createdAt: null, lastActiveAt: null }
    const user = { id, isNew, externalId, ...nothing, devices: count, tagSizes, isTouched: isNew }
    users.set(id, user)
    if (externalId !== null) byName.set(externalId, id)
    return user
  }
  for (const user of known.users) addUser(user, false)
  for (const { id, key, userId } of known.devices) devices.set(key, { id, userId, planned: undefined })

  const decideRow = ({ row, key, device, externalId, changes: asked, choices, past: said }: ImportRow): RowOutcome => {
    // A time in the future counts as now.
    const past = {
      ...said,
      createdAt: earlier(said.createdAt, said.createdAt && now),
      lastActiveAt: earlier(said.lastActiveAt, said.lastActiveAt && now),
    }
    const found = devices.get(key)
    const done = (is: 'created' | 'updated' | 'kept', leftOutTags = false) => ({
      ...{ row, is, leftOutTags },
      platform: device.platform,
      optedOut: past.optedOut,
    })
    if (found && onExisting === 'keep') return done('kept')

    const owner = found ? (users.get(found.userId) ?? null) : null
    const named = externalId === null ? null : (users.get(byName.get(externalId) ?? '') ?? null)
    const ownership = decideOwnership(owner, externalId, named)
    const target = ownership.kind === 'create' ? undefined : users.get(ownership.userId)
    if (ownership.kind === 'join' && (target?.devices ?? 0) >= maxDevicesPerUser)
      return { row, is: 'rejected', code: 'device_limit', at: 'externalId', message: `names a user who has ${maxDevicesPerUser} devices` }
    const { tags, tagSizes, leftOut } = fitting(target?.tagSizes ?? new Map(), asked.tags, onExisting)
    const changes = { ...asked, tags }

    const user = target ?? addUser({ id: makeId(), externalId, devices: 0, tagSizes: new Map() }, true)
    if (ownership.kind === 'rename') {
      user.externalId = ownership.externalId
      byName.set(ownership.externalId, user.id)
    }
    user.tagSizes = tagSizes
    user.isTouched = true
    user.changes = merged(user.changes, changes, onExisting)
    user.choices = onExisting === 'keep' ? { ...choices, ...user.choices } : { ...user.choices, ...choices }
    const unsaid = user.isNew ? now : null
    user.createdAt = earlier(user.createdAt, past.createdAt ?? past.lastActiveAt ?? unsaid)
    user.lastActiveAt = later(user.lastActiveAt, past.lastActiveAt ?? past.createdAt ?? unsaid)
    if (!found || found.userId !== user.id) user.devices += 1
    if (owner && owner.id !== user.id) {
      owner.devices -= 1
      left.add(owner)
      if (found) departures.set(`${owner.id} ${found.id}`, { userId: owner.id, subscriptionId: found.id })
    }

    const before = found?.planned
    const planned: PlannedDevice = {
      id: found?.id ?? makeId(),
      key,
      isNew: found === undefined || (before?.isNew ?? false),
      userId: user.id,
      device: before ? over(before.device, device) : device,
      past: before ? joined(before.past, past) : found ? past : begun(past, now),
      registeredAt: before ? before.registeredAt : past.lastActiveAt,
    }
    devices.set(key, { id: planned.id, userId: user.id, planned })
    return done(found ? 'updated' : 'created', leftOut)
  }

  return {
    outcomes: rows.map(decideRow),
    devices: [...devices.values()].flatMap(({ planned }) => planned ?? []),
    users: [...users.values()].filter(({ isTouched }) => isTouched),
    left: [...left],
    departures: [...departures.values()],
  }
}

/**
 * Gives the tags of a row for which its user has room, and the sizes of all the user's tags then. A device is worth more than tags: a row with too
 * many tags comes without them.
 */
function fitting(
  known: TagSizes,
  asked: TagChanges,
  onExisting: 'keep' | 'update',
): { tags: TagChanges; tagSizes: TagSizes; leftOut: boolean } {
  const added = Object.entries(asked).filter(([name]) => onExisting === 'update' || !known.has(name))
  const whole = tagSizesAfter(known, Object.fromEntries(added))
  if (whole.size > maxTagsPerUser) return { tags: {}, tagSizes: known, leftOut: true }
  if (countTagBytes(whole) <= maxTagBytes) return { tags: asked, tagSizes: whole, leftOut: false }
  let tagSizes = known
  const tags: TagChanges = {}
  for (const [name, value] of added) {
    const next = tagSizesAfter(tagSizes, { [name]: value })
    if (countTagBytes(next) > maxTagBytes) continue
    tagSizes = next
    tags[name] = value
  }
  return { tags, tagSizes, leftOut: true }
}

/** Joins the changes of two rows about one user. With `keep` the first row wins, with `update` the second. */
function merged(before: UserUpdate, row: UserUpdate, onExisting: 'keep' | 'update'): UserUpdate {
  const [first, second] = onExisting === 'keep' ? [before, row] : [row, before]
  return {
    tags: { ...second.tags, ...first.tags },
    language: first.language ?? second.language,
    timezone: first.timezone ?? second.timezone,
    country: first.country ?? second.country,
  }
}

/** Joins two rows about one device: the later row (`device`) wins, and fields that it leaves out come from the earlier row (`before`). */
const over = (before: Device, device: Device): Device => ({
  ...device,
  appVersion: device.appVersion ?? before.appVersion,
  sdkVersion: device.sdkVersion ?? before.sdkVersion,
  osVersion: device.osVersion ?? before.osVersion,
  deviceModel: device.deviceModel ?? before.deviceModel,
  browser: device.browser ?? before.browser,
  standalone: device.standalone ?? before.standalone,
})

/** Gives the past of a new device. If its row has only one of the two times, both become that time; if it has neither, both become `now`. */
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

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}
