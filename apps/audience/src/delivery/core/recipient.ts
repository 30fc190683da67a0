import { packIds } from '@herald/contracts/compact-ids'
import type { Decided } from '@herald/contracts/batch'
import { shortColumn, type Column, type RecipientColumns } from '@herald/contracts/recipient'
import type { Tags } from '@herald/contracts/text'
import type { DeviceNow } from './eligibility.ts'
import { whySkipped } from './eligibility.ts'
import type { NamesOfSend } from './names-of-send.ts'

/** The user's columns and the device's that a content may name beside their ids. */
export const userFields = ['externalId', 'language', 'timezone', 'country', 'createdAt'] as const
export const subscriptionFields = ['appVersion', 'deviceModel', 'browser'] as const
type Field = (typeof userFields)[number] | (typeof subscriptionFields)[number]

/**
 * The places of a batch as they are now, from the first that was not answered yet: who was queued, and the device with its user. Null stands
 * where there is no device, and a field that the send does not name is left out.
 */
export type QueuedDevices = {
  /** Where each stands in the batch that it was queued in: the ledger's name of the push. Null: they follow one another. */
  places: number[] | null
  /** 24 characters each. */
  subscriptionIds: string
  queuedFor: string
  /** A hexadecimal digit each: the sum of `facts`; 0: there is no device. */
  facts: string
  addresses: (string | null)[]
  tokenVersions: (number | null)[]
  p256dh?: (string | null)[] | undefined
  auth?: (string | null)[] | undefined
  environments?: ('production' | 'sandbox' | null)[] | undefined
  tags?: (Tags | null)[] | undefined
} & { [Name in Field]?: (string | null)[] | undefined }

export const noDevices: QueuedDevices = { places: null, subscriptionIds: '', queuedFor: '', facts: '', addresses: [], tokenVersions: [] }

/** What the digit of a device is the sum of; `isOthers`: it has changed hands since it was queued. */
export const facts = { isThere: 1, isOthers: 2, isInvalidated: 4, isOptedIn: 8 } as const
const mayBeSent = (facts.isThere + facts.isOptedIn).toString(16)

/**
 * What the database found of a batch: the devices that are there, in any order (`idsFound`, and the lists beside it), and of the users that they
 * were queued for what the send names (`userIdsFound`, each once). Lists are null where nobody was found.
 */
export type DevicesFound = Pick<QueuedDevices, 'places' | 'subscriptionIds' | 'queuedFor'> & {
  /** 24 characters each, like the owners that the devices have now. */
  idsFound: string | null
  owners: string | null
  /** Without `isOthers`. */
  facts: string | null
  addresses: string[] | null
  tokenVersions: number[] | null
  p256dh?: (string | null)[] | null
  auth?: (string | null)[] | null
  /** A letter each: the first of the environment, a hyphen for none. */
  environments?: string | null
  userIdsFound?: string | null
  tags?: (Tags | null)[] | null
} & { [Name in Field]?: (string | null)[] | null }

/** The devices in the order of their batch. As a rule all are there, were found in that order and have the owners that they were queued for: then nothing is moved. */
export function queuedDevices(found: DevicesFound): QueuedDevices {
  const { places, subscriptionIds, queuedFor } = found
  const devices = placesIn(found.idsFound ?? '', subscriptionIds)
  const users = placesIn(found.userIdsFound ?? '', queuedFor)
  const inOrder = <Value>(values: Value[] | null | undefined, at: number[] | 'same'): (Value | null)[] | undefined => {
    if (values === undefined) return undefined
    return at === 'same' ? (values ?? []) : at.map((index) => values?.[index] ?? null)
  }
  const fieldsOf = (names: readonly Field[], at: number[] | 'same') =>
    Object.fromEntries(names.flatMap((name) => (found[name] === undefined ? [] : [[name, inOrder(found[name], at)] as const])))
  const owners = found.owners ?? ''
  const all = found.facts ?? ''
  const isUnchanged = devices === 'same' && owners === queuedFor
  return {
    places,
    subscriptionIds,
    queuedFor,
    facts: isUnchanged ? all : factsInOrder(all, owners, queuedFor, devices),
    addresses: inOrder(found.addresses, devices) ?? [],
    tokenVersions: inOrder(found.tokenVersions, devices) ?? [],
    p256dh: inOrder(found.p256dh, devices),
    auth: inOrder(found.auth, devices),
    environments: inOrder(environmentsOf(found.environments), devices),
    tags: inOrder(found.tags, users),
    ...fieldsOf(subscriptionFields, devices),
    ...fieldsOf(userFields, users),
  }
}

/** Where each of these ids stands among those that were found, -1 for one that is not there; `same`: they are the same in the same order. */
function placesIn(found: string, ids: string): number[] | 'same' {
  if (found === ids) return 'same'
  const placeOf = new Map(Array.from({ length: found.length / 24 }, (_, at) => [idAt(found, at), at]))
  return Array.from({ length: ids.length / 24 }, (_, at) => placeOf.get(idAt(ids, at)) ?? -1)
}

function factsInOrder(all: string, owners: string, queuedFor: string, devices: number[] | 'same'): string {
  const digitAt = (at: number, place: number): string => {
    const digit = all[at]
    if (digit === undefined) return '0'
    return idAt(owners, at) === idAt(queuedFor, place) ? digit : (parseInt(digit, 16) + facts.isOthers).toString(16)
  }
  return Array.from({ length: queuedFor.length / 24 }, (_, place) =>
    digitAt(devices === 'same' ? place : (devices[place] ?? -1), place),
  ).join('')
}

/** Undefined where none is remembered of any. */
const environmentsOf = (letters: string | null | undefined): ('production' | 'sandbox' | null)[] | undefined =>
  letters && /[^-]/.test(letters)
    ? Array.from(letters, (letter) => (letter === 'p' ? 'production' : letter === 's' ? 'sandbox' : null))
    : undefined

/** A part of a batch: the pushes to make, and the ends of those that are not to be made. `count`: both together. */
export type Part = { recipients: RecipientColumns; decided: Decided[]; count: number }

/** As much of a batch as one answer holds. `from`: how many of its places were answered before. */
export function partOf(queued: QueuedDevices, names: NamesOfSend, platform: string, from: number): Part {
  const count = countFitting(queued)
  const chosen: number[] = []
  const decided: Decided[] = []
  for (let at = 0; at < count; at += 1) {
    const digit = queued.facts[at] ?? '0'
    if (digit === mayBeSent) chosen.push(at)
    else decided.push(skipped(queued, at, placeAt(queued, from, at), parseInt(digit, 16)))
  }
  return { recipients: columnsOf(queued, chosen, names, platform, from), decided, count }
}

/** Who is not sent to is skipped in the name of whom it was queued for. */
function skipped(queued: QueuedDevices, at: number, place: number, digit: number): Decided {
  const queuedFor = idAt(queued.queuedFor, at)
  const owner = digit & facts.isOthers ? '' : queuedFor
  const device: DeviceNow =
    digit & facts.isThere ? { userId: owner, optedIn: (digit & facts.isOptedIn) > 0, invalidated: (digit & facts.isInvalidated) > 0 } : null
  return {
    place,
    subscriptionId: idAt(queued.subscriptionIds, at),
    userId: queuedFor,
    tokenVersion: queued.tokenVersions[at] ?? 0,
    attempts: 0,
    outcome: 'skipped',
    code: whySkipped(queuedFor, device) ?? 'deleted',
  }
}

function columnsOf(queued: QueuedDevices, chosen: number[], names: NamesOfSend, platform: string, from: number): RecipientColumns {
  const isEveryone = chosen.length === queued.facts.length
  const pick = <Value>(values: Value[]): Value[] => (isEveryone ? values : chosen.map((at) => values[at] as Value))
  const column = <Value>(values: Value[] | undefined) => values && shortColumn(pick(values))
  const ids = (all: string) => packIds(isEveryone ? [all] : chosen.map((at) => idAt(all, at)))
  const all = (): number[] => pick(Array.from({ length: queued.facts.length }, (_, at) => at))
  const named = <Value>(list: readonly string[], read: (name: string) => Column<Value | null> | undefined) => {
    const columns = list.flatMap((name) => {
      const values = read(name)
      return values ? [[name, values] as const] : []
    })
    return columns.length > 0 ? Object.fromEntries(columns) : undefined
  }
  const fieldOf = (name: string): (string | null)[] | undefined =>
    name === 'createdAt' ? queued.createdAt?.map(asInstant) : isField(name) ? queued[name] : undefined
  return {
    places: isEveryone && !queued.places ? null : chosen.map((at) => placeAt(queued, from, at)),
    firstPlace: from,
    subscriptionIds: ids(queued.subscriptionIds),
    userIds: ids(queued.queuedFor),
    // Whoever is chosen is there, and has them.
    addresses: pick(queued.addresses).map((address) => address ?? ''),
    p256dh: column(queued.p256dh),
    auth: column(queued.auth),
    tokenVersions: shortColumn(pick(queued.tokenVersions).map((version) => version ?? 0)) ?? [],
    environments: column(queued.environments),
    languages: names.language ? column(queued.language) : undefined,
    timezones: names.timezone ? column(queued.timezone) : undefined,
    user: named(names.user, (name) => (name === 'id' ? all().map((at) => idAt(queued.queuedFor, at)) : column(fieldOf(name)))),
    tags: named(names.tags, (name) =>
      column(queued.tags?.map((tags) => (tags && Object.hasOwn(tags, name) ? (tags[name] ?? null) : null))),
    ),
    subscription: named(names.subscription, (name) => {
      if (name === 'id') return all().map((at) => idAt(queued.subscriptionIds, at))
      return name === 'platform' ? { all: platform } : column(fieldOf(name))
    }),
  }
}

const fields: readonly string[] = [...userFields, ...subscriptionFields]
const isField = (name: string): name is Field => fields.includes(name)
const asInstant = (text: string | null): string | null => (text === null ? null : new Date(text).toISOString())
const placeAt = ({ places }: QueuedDevices, from: number, at: number): number => places?.[at] ?? from + at
const idAt = (ids: string, at: number): string => ids.slice(at * 24, at * 24 + 24)

/** A part of a batch's answer holds about this much; the rest is asked for again (docs/architecture.md, step 4). */
const partBytes = 256_000
/** Ids, versions and marks of one recipient as JSON. */
const fixedBytes = 100

/** How many of these fit in one part, by a cheap estimate of their JSON; at least one. */
function countFitting(queued: QueuedDevices): number {
  const texts = [queued.addresses, queued.p256dh, queued.auth, ...fields.map((name) => (isField(name) ? queued[name] : undefined))]
  const columns = texts.filter((column) => column !== undefined)
  let bytes = 0
  for (let at = 0; at < queued.facts.length; at += 1) {
    bytes += fixedBytes
    for (const column of columns) bytes += (column[at]?.length ?? 0) + 4
    const tags = queued.tags?.[at]
    if (tags) for (const value of Object.values(tags)) bytes += String(value).length + 4
    if (bytes > partBytes && at > 0) return at
  }
  return queued.facts.length
}
