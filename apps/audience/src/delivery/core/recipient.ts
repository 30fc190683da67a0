import { packIds } from '@herald/contracts/compact-ids'
import type { Decided } from '@herald/contracts/batch'
import { isSubscribed } from '@herald/contracts/category'
import { firstReason, type SkipReason } from '@herald/contracts/outcome'
import { shortColumn, type Column, type RecipientColumns } from '@herald/contracts/recipient'
import type { Tags } from '@herald/contracts/text'
import type { NamesOfSend } from './names-of-send.ts'

/** The fields of a user, and below those of a device, that the texts of a send may name. Ids, tags and the platform are treated separately. */
export const userFields = ['externalId', 'language', 'timezone', 'country', 'createdAt'] as const
export const subscriptionFields = ['appVersion', 'deviceModel', 'browser'] as const
type Field = (typeof userFields)[number] | (typeof subscriptionFields)[number]

/**
 * The pushes of a batch with devices and users as they are now, from the first not yet given to the dispatcher. A list holds null for a deleted
 * device. Fields that the send does not name are missing.
 */
export type QueuedDevices = {
  /**
   * The place of each push in the batch in which it was first queued; the ledger's slot has the same number. Null when the places follow one another.
   */
  places: number[] | null
  /** The ids of the devices, joined to one text of 24 characters for each. */
  subscriptionIds: string
  /** The ids of the users for whom the pushes were queued, joined like the ids of the devices. */
  queuedFor: string
  /** One hexadecimal digit for each push: the sum of the `facts` that are true of its device; 0 when the device was deleted. */
  facts: string
  addresses: (string | null)[]
  tokenVersions: (number | null)[]
  p256dh?: (string | null)[] | undefined
  auth?: (string | null)[] | undefined
  environments?: ('production' | 'sandbox' | null)[] | undefined
  tags?: (Tags | null)[] | undefined
  /** The users' own choices about the category of the send; null for a user who has chosen nothing. */
  choices?: (boolean | null)[] | undefined
  /** In a send to a Live Activity: whether the device's push comes too late, since it has no token for it or a newer send has overtaken it. */
  late?: boolean[]
} & { [Name in Field]?: (string | null)[] | undefined }

export const noDevices: QueuedDevices = { places: null, subscriptionIds: '', queuedFor: '', facts: '', addresses: [], tokenVersions: [] }

/**
 * The numbers whose sum is a device's digit in `facts`. `isOthers`: the device now belongs to another user than the one for whom the push was queued.
 */
export const facts = { isThere: 1, isOthers: 2, isInvalidated: 4, isOptedIn: 8 } as const
const mayBeSent = (facts.isThere + facts.isOptedIn).toString(16)

/**
 * A batch as the database gives it. Lists of device fields follow `idsFound`, those of user fields `userIdsFound` (each user of a push, once), in any
 * order. A list is null when no row was found.
 */
export type DevicesFound = Pick<QueuedDevices, 'places' | 'subscriptionIds' | 'queuedFor'> & {
  /** The ids of the devices, joined to one text of 24 characters for each. `owners`: the ids of their present owners, in the same order and form. */
  idsFound: string | null
  owners: string | null
  /** One digit for each device, as in `QueuedDevices`, but without `isOthers`, which follows from `owners`. */
  facts: string | null
  addresses: string[] | null
  tokenVersions: number[] | null
  p256dh?: (string | null)[] | null
  auth?: (string | null)[] | null
  /** One character for each device: `p` (production), `s` (sandbox), or a hyphen when no environment is remembered. */
  environments?: string | null
  userIdsFound?: string | null
  tags?: (Tags | null)[] | null
  choices?: (boolean | null)[] | null
} & { [Name in Field]?: (string | null)[] | null }

/**
 * Puts the devices that the database found into the order of their batch. Usually every device exists, in that order and with the same owner; then
 * the lists are passed on as they are.
 */
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
    choices: inOrder(found.choices, users),
    ...fieldsOf(subscriptionFields, devices),
    ...fieldsOf(userFields, users),
  }
}

/** Gives the place of each of `ids` among `found`, -1 for an id that was not found; `same` when both lists are equal. */
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

/** Spells out the letters of `DevicesFound`; undefined when no device has an environment. */
const environmentsOf = (letters: string | null | undefined): ('production' | 'sandbox' | null)[] | undefined =>
  letters && /[^-]/.test(letters)
    ? Array.from(letters, (letter) => (letter === 'p' ? 'production' : letter === 's' ? 'sandbox' : null))
    : undefined

/**
 * Gives the devices of a send to a Live Activity with their tokens for it in place of their own. `tokens`: by device, null when the send is overtaken.
 * `optedOutToo`: opted-out devices get it too.
 */
export function withActivityTokens(
  queued: QueuedDevices,
  tokens: ReadonlyMap<string, { token: string; version: number }> | null,
  optedOutToo: boolean,
): QueuedDevices {
  const held = Array.from({ length: queued.facts.length }, (_, at) => tokens?.get(idAt(queued.subscriptionIds, at)))
  return {
    ...queued,
    facts: optedOutToo ? queued.facts.replaceAll(facts.isThere.toString(16), mayBeSent) : queued.facts,
    addresses: held.map((one) => one?.token ?? null),
    tokenVersions: held.map((one) => one?.version ?? null),
    late: held.map((one) => one === undefined),
  }
}

/** Gives devices as if each could be sent to: whoever reads an inbox sees its texts on an opted-out device too. */
export const asReachable = (queued: QueuedDevices): QueuedDevices => ({ ...queued, facts: mayBeSent.repeat(queued.facts.length) })

/**
 * As much of a batch as one answer holds: the pushes to send (`recipients`), and the outcomes of the pushes that are not sent (`decided`). `count`:
 * how many pushes both are together.
 */
export type Part = { recipients: RecipientColumns; decided: Decided[]; count: number }

/** Gives as much of a batch as one answer to the dispatcher holds. `from`: how many pushes of the batch earlier answers held. */
export function partOf(queued: QueuedDevices, names: NamesOfSend, platform: string, from: number): Part {
  const count = countFitting(queued)
  const chosen: number[] = []
  const decided: Decided[] = []
  for (let at = 0; at < count; at += 1) {
    const digit = queued.facts[at] ?? '0'
    const isOutside = names.category !== undefined && !isSubscribed(names.category, queued.choices?.[at])
    const isLate = queued.late?.[at] === true
    if (digit === mayBeSent && !isOutside && !isLate) chosen.push(at)
    else decided.push(skipped(queued, at, placeAt(queued, from, at), whySkipped(parseInt(digit, 16), { isOutside, isLate })))
  }
  return { recipients: columnsOf(queued, chosen, names, platform, from), decided, count }
}

/**
 * Gives the reason for which a queued push is skipped. The owner is compared before all that is the user's, so that no other user is ever shown the
 * text (spec: tracking/owner-first).
 */
function whySkipped(digit: number, { isOutside, isLate }: { isOutside: boolean; isLate: boolean }): SkipReason {
  const isThere = (digit & facts.isThere) > 0
  const holds = {
    owner_changed: (digit & facts.isOthers) > 0,
    invalidated: (digit & facts.isInvalidated) > 0,
    unsubscribed: isOutside,
    opted_out: !(digit & facts.isOptedIn),
    expired: isLate,
  }
  return (isThere && firstReason(holds)) || 'deleted'
}

const skipped = (queued: QueuedDevices, at: number, place: number, code: SkipReason): Decided => ({
  place,
  subscriptionId: idAt(queued.subscriptionIds, at),
  userId: idAt(queued.queuedFor, at),
  tokenVersion: queued.tokenVersions[at] ?? 0,
  attempts: 0,
  outcome: 'skipped',
  code,
})

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
    // A chosen device exists, so it has an address.
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

/** One answer holds about this many bytes of a batch. For the remaining pushes the dispatcher asks again (docs/architecture.md, step 4). */
const partBytes = 256_000
/** About how many bytes the ids, the token version and the punctuation of one recipient take as JSON. */
const fixedBytes = 100

/** Estimates how many pushes fit into one answer, by the length of their JSON; at least one. */
function countFitting(queued: QueuedDevices): number {
  const texts = [queued.addresses, queued.p256dh, queued.auth, ...fields.map((name) => (isField(name) ? queued[name] : undefined))]
  const columns = texts.filter((column) => column !== undefined)
  let bytes = 0
  for (let at = 0; at < queued.facts.length; at += 1) {
    bytes += fixedBytes
    for (const column of columns) bytes += Buffer.byteLength(column[at] ?? '') + 4
    const tags = queued.tags?.[at]
    if (tags) for (const value of Object.values(tags)) bytes += Buffer.byteLength(String(value)) + 4
    if (bytes > partBytes && at > 0) return at
  }
  return queued.facts.length
}
