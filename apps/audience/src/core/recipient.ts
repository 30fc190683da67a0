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
  p256dh?: (string | null)[]
  auth?: (string | null)[]
  environments?: ('production' | 'sandbox' | null)[]
  tags?: (Tags | null)[]
} & { [Name in Field]?: (string | null)[] }

export const noDevices: QueuedDevices = { places: null, subscriptionIds: '', queuedFor: '', facts: '', addresses: [], tokenVersions: [] }

/** What the digit of a device is the sum of. */
export const facts = { isThere: 1, isOfQueued: 2, isInvalidated: 4, isOptedIn: 8 } as const
const mayBeSent = (facts.isThere + facts.isOfQueued + facts.isOptedIn).toString(16)

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
  const owner = digit & facts.isOfQueued ? queuedFor : ''
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
