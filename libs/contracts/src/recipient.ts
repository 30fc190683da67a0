import { unpackIdAt } from './compact-ids.ts'
import type { TagValue } from './text.ts'

/** The device of one push as it was when its batch was taken, with what the dispatcher needs of its user. */
export type Recipient = {
  /** The place of the push in its batch, from 0. */
  place: number
  subscriptionId: string
  userId: string
  /** Device token (ios, android) or endpoint address (web). Never logged, never stored in NATS. */
  address: string
  /** Web only: the keys with which pushes to the browser are encrypted. */
  keys: { p256dh: string; auth: string } | null
  tokenVersion: number
  /**
   * iOS: the APNs environment to ask first. It is set when this environment accepted the token after the other one had refused it. Null stands for
   * the environment of the credentials.
   */
  environment: 'production' | 'sandbox' | null
  /** Null when the user has no language, and when no text of the send is in several languages. */
  language: string | null
  /** Null when the user has no time zone, and when no text of the send uses the filter `date`. */
  timezone: string | null
  /** The values for placeholders, by `user`, `tags` and `subscription`: only those that the content of the send names. */
  user: Readonly<Record<string, string | null>>
  tags: Readonly<Record<string, TagValue>>
  subscription: Readonly<Record<string, string | null>>
  /** The number on the device's icon, in a send that raises it. */
  badge?: number
}

/** A column of recipients: a list with one value for each recipient, or the one value that all recipients have. */
export type Column<Value> = Value[] | { all: Value }
type Columns<Value> = Record<string, Column<Value | null>>

/**
 * Recipients as they travel: a list for each field, not 500 objects with the same field names. A column that is left out is null for all recipients.
 */
export type RecipientColumns = {
  /** Null when the places are `firstPlace` and those that follow it. */
  places: number[] | null
  firstPlace: number
  /** In the form of `packIds`. */
  subscriptionIds: string
  userIds: string
  addresses: string[]
  /** Web only. */
  p256dh?: Column<string | null> | undefined
  auth?: Column<string | null> | undefined
  tokenVersions: Column<number>
  environments?: Column<Recipient['environment']> | undefined
  languages?: Column<string | null> | undefined
  timezones?: Column<string | null> | undefined
  user?: Columns<string> | undefined
  tags?: Columns<TagValue> | undefined
  subscription?: Columns<string> | undefined
  badges?: Column<number> | undefined
}

/** Shortens a column: one value when all recipients have the same, undefined when that value is null. */
export function shortColumn<Value>(values: Value[]): Column<Value> | undefined {
  const [first] = values
  if (first === undefined || values.some((value) => value !== first)) return values
  return first === null ? undefined : { all: first }
}

/** Gives the recipients that these columns hold, in their order. */
export function recipientsOf(columns: RecipientColumns): Recipient[] {
  const { at } = readRecipients(columns)
  return columns.addresses.map((_, place) => at(place))
}

/** Reads recipients one by one from their columns. The columns take a fifth of the memory that the recipients as objects would take. */
export type RecipientReader = {
  readonly count: number
  /** Gives the nth recipient, from 0; `n` must be below `count`. */
  readonly at: (n: number) => Recipient
  /** Gives the address and APNs environment of the nth recipient, without reading its other columns. */
  readonly toAt: (n: number) => SentTo
}
export type SentTo = Pick<Recipient, 'address' | 'environment'>

export function readRecipients(columns: RecipientColumns): RecipientReader {
  const { places, firstPlace, addresses, p256dh, auth, tokenVersions, environments, languages, timezones } = columns
  const subscriptionIdAt = unpackIdAt(columns.subscriptionIds)
  const userIdAt = unpackIdAt(columns.userIds)
  const userAt = recordsOf(columns.user)
  const tagsAt = recordsOf(columns.tags)
  const subscriptionAt = recordsOf(columns.subscription)
  const read = (at: number): Recipient => {
    const key = valueAt(p256dh, at)
    const secret = valueAt(auth, at)
    return {
      place: places?.[at] ?? firstPlace + at,
      subscriptionId: subscriptionIdAt(at),
      userId: userIdAt(at),
      address: addresses[at] ?? '',
      keys: key !== null && secret !== null ? { p256dh: key, auth: secret } : null,
      tokenVersion: valueAt(tokenVersions, at) ?? 0,
      environment: valueAt(environments, at),
      language: valueAt(languages, at),
      timezone: valueAt(timezones, at),
      user: userAt(at),
      tags: tagsAt(at),
      subscription: subscriptionAt(at),
      ...(columns.badges === undefined ? {} : { badge: valueAt(columns.badges, at) ?? 0 }),
    }
  }
  return {
    count: addresses.length,
    at: read,
    toAt: (n) => ({ address: addresses[n] ?? '', environment: valueAt(environments, n) }),
  }
}

const valueAt = <Value>(column: Column<Value> | undefined, at: number): Value | null =>
  column === undefined ? null : Array.isArray(column) ? (column[at] ?? null) : column.all

/**
 * Makes a function that reads one recipient's values of these columns as an object. When there are no columns, all recipients share one empty object.
 */
function recordsOf<Value>(columns: Columns<Value> | undefined): (at: number) => Record<string, Value> {
  const named = Object.entries(columns ?? {})
  if (named.length === 0) {
    const nothing = {}
    return () => nothing
  }
  return (at) => {
    const record: Record<string, Value> = {}
    for (const [name, column] of named) {
      const value = valueAt(column, at)
      // Defined as an own property: assigning to a name such as __proto__ would set the prototype.
      if (value !== null) Object.defineProperty(record, name, { value, enumerable: true })
    }
    return record
  }
}
