import { unpackIdAt } from './compact-ids.ts'
import type { TagValue } from './text.ts'

/** One push to make: the device as it is now. Only the user's columns and tags that the content names are filled. */
export type Recipient = {
  /** Where in its batch it stands, from 0. */
  place: number
  subscriptionId: string
  userId: string
  /** Device token (ios, android) or endpoint address (web). Never logged, never stored in NATS. */
  address: string
  /** Web only. */
  keys: { p256dh: string; auth: string } | null
  tokenVersion: number
  /** iOS: the APNs environment that is asked first, because it accepted this token after the other refused it. Null: that of the credentials. */
  environment: 'production' | 'sandbox' | null
  /** Null too when the content has one locale only. */
  language: string | null
  /** Null too when the content has no placeholders. */
  timezone: string | null
  /** Values for placeholders, by root: `user`, `tags`, `subscription`; only what the content names. */
  user: Readonly<Record<string, string | null>>
  tags: Readonly<Record<string, TagValue>>
  subscription: Readonly<Record<string, string | null>>
}

/** A column of recipients: each one's value, or the one value that all have. */
export type Column<Value> = Value[] | { all: Value }
type Columns<Value> = Record<string, Column<Value | null>>

/**
 * Recipients as they travel: a list per field instead of 500 objects with the same names. A column that is left out is null for all.
 */
export type RecipientColumns = {
  /** Null: `firstPlace` and those that follow it. */
  places: number[] | null
  firstPlace: number
  /** As `packIds` packs them. */
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
}

/** A column as short as it gets: one value when all have the same, undefined when that is null. */
export function shortColumn<Value>(values: Value[]): Column<Value> | undefined {
  const [first] = values
  if (first === undefined || values.some((value) => value !== first)) return values
  return first === null ? undefined : { all: first }
}

/** The recipients that these columns hold, in their order. */
export function recipientsOf(columns: RecipientColumns): Recipient[] {
  const { at } = readRecipients(columns)
  return columns.addresses.map((_, place) => at(place))
}

/** Recipients that are read one by one: what is held meanwhile is the columns, a fifth of the recipients themselves. */
export type RecipientReader = {
  readonly count: number
  /** The nth, from 0; to be asked for below `count` only. */
  readonly at: (n: number) => Recipient
  /** Where the nth is sent to. */
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

/** Reads a record of one recipient: what it has of these names. All share one when there are no names. */
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
      // As an own property, whatever its name: a tag may be called __proto__.
      if (value !== null) Object.defineProperty(record, name, { value, enumerable: true })
    }
    return record
  }
}
