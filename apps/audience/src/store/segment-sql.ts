import type { DeviceFieldName, Segment, SegmentLeaf, SegmentNode, SegmentScalar, UserFieldName } from '@herald/contracts/segment'
import { leavesOf, resolveDate } from '@herald/contracts/segment'
import { sql, type RawBuilder } from 'kysely'

type Sql = RawBuilder<unknown>

/** Where each field is: `s` is the device, `u` its user. Dates are compared as the API shows them, to the millisecond. */
const deviceColumn: Record<DeviceFieldName, Sql> = {
  platform: sql`s.platform`,
  browser: sql`s.browser`,
  standalone: sql`s.standalone`,
  appVersion: sql`s.app_version`,
  sdkVersion: sql`s.sdk_version`,
  osVersion: sql`s.os_version`,
  deviceModel: sql`s.device_model`,
  sessionCount: sql`s.session_count`,
  lastSessionAt: sql`date_trunc('milliseconds', s.last_session_at)`,
  createdAt: sql`date_trunc('milliseconds', s.created_at)`,
  lastActiveAt: sql`date_trunc('milliseconds', s.last_active_at)`,
  lastNotifiedAt: sql`(select date_trunc('milliseconds', n.at) from last_notified n where n.subscription_id = s.id)`,
}
const userColumn: Record<UserFieldName, Sql> = {
  userId: sql`u.id`,
  externalId: sql`u.external_id`,
  language: sql`u.language`,
  timezone: sql`u.timezone`,
  country: sql`u.country`,
  createdAt: sql`date_trunc('milliseconds', u.created_at)`,
  lastActiveAt: sql`date_trunc('milliseconds', u.last_active_at)`,
}

/** Whom any send or count can reach (api.md, Subscription): the one base filter of preview, count and fan-out. */
export const reachable = sql<boolean>`s.opted_in and s.invalidated_at is null`

/** Whether a segment asks about the person too, so that users must be joined. */
export const asksAboutUser = (segment: Segment): boolean =>
  segment.is !== 'everyone' && leavesOf(segment).some(({ field }) => field.on !== 'device')

const orderSign = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const

/**
 * A segment as a condition on a device `s` and its user `u` (decisions.md 4), true or false and never null, so that `not` is
 * plain. It means exactly what `matches` of contracts says; values travel as parameters. `now` is what relative dates count from.
 */
export function segmentCondition(segment: Segment, now: Date): RawBuilder<boolean> {
  switch (segment.is) {
    case 'everyone':
      return sql`true`
    case 'and':
      return sql`(${sql.join(
        cheapFirst(segment.nodes).map((node) => segmentCondition(node, now)),
        sql` and `,
      )})`
    case 'or':
      return sql`(${sql.join(
        cheapFirst(segment.nodes).map((node) => segmentCondition(node, now)),
        sql` or `,
      )})`
    case 'not':
      return sql`(not ${segmentCondition(segment.node, now)})`
    case 'leaf':
      return sql`coalesce(${segment.field.on === 'tag' ? tagCondition(segment) : fieldCondition(segment, now)}, false)`
  }
}

/** Versions last: they cost ten times any other leaf, and Postgres stops at the first node that settles a group. */
const cheapFirst = (nodes: SegmentNode[]): SegmentNode[] => nodes.toSorted((one, other) => countVersions(one) - countVersions(other))
const countVersions = (node: SegmentNode): number => leavesOf(node).filter(({ field }) => field.type === 'version').length

function fieldCondition(leaf: SegmentLeaf, now: Date): Sql {
  const column = columnOf(leaf)
  switch (leaf.op) {
    case 'exists':
      return leaf.value ? sql`${column} is not null` : sql`${column} is null`
    case 'eq':
      return equalsAny(leaf, column, [leaf.value], now)
    case 'in':
      return equalsAny(leaf, column, leaf.values, now)
    case 'ne':
      return sql`not coalesce(${equalsAny(leaf, column, [leaf.value], now)}, false)`
    case 'nin':
      return sql`not coalesce(${equalsAny(leaf, column, leaf.values, now)}, false)`
    case 'contains':
      return sql`position(${leaf.value} in ${column}) > 0`
    case 'startsWith':
      return sql`starts_with(${column}, ${leaf.value})`
    default:
      return compares(leaf, column, leaf.value, now, orderSign[leaf.op])
  }
}

function columnOf({ field }: SegmentLeaf): Sql {
  if (field.on === 'device') return deviceColumn[field.name]
  return field.on === 'user' ? userColumn[field.name] : sql`u.tags -> ${field.name}`
}

function equalsAny({ field }: SegmentLeaf, column: Sql, values: SegmentScalar[], now: Date): Sql {
  switch (field.type) {
    case 'version':
      return sql`${versionOf(column)} in (${sql.join(values.map((value) => versionOf(sql`${value}::text`)))})`
    case 'date':
      return sql`${column} = any(${values.map((value) => dateOf(value, now))}::timestamptz[])`
    case 'number':
      return sql`${column}::float8 = any(${values}::float8[])`
    case 'boolean':
      return sql`${column} = any(${values}::boolean[])`
    default:
      return sql`${column} = any(${values}::text[])`
  }
}

/** Only dates, numbers and versions have an order (`operatorsOf`); tags are compared in `tagCondition`. */
function compares({ field }: SegmentLeaf, column: Sql, value: SegmentScalar, now: Date, sign: Sql): Sql {
  if (field.type === 'version') return sql`${versionOf(column)} ${sign} ${versionOf(sql`${value}::text`)}`
  if (field.type === 'date') return sql`${column} ${sign} ${dateOf(value, now)}::timestamptz`
  return sql`${column}::float8 ${sign} ${value}::float8`
}

/**
 * The numeric parts a version begins with, as an array without zeros at its end: Postgres compares arrays part by part and then
 * by length, which is the order of versions. Null for a text that does not begin with a number. The form of contracts' `versionParts`.
 * Nearly every version is digits and dots only, short, and ends in no zero part; for these a split is enough: 1 µs, and not
 * the 5 µs of the two expressions, which made five seconds of a preview over a million devices.
 */
const versionOf = (text: Sql): Sql => sql`
  case when length(${text}) <= 9 and translate(${text}, '0123456789.', '') = '' and '.' || rtrim(${text}, '0') || '.' not like '%..%'
  then string_to_array(${text}, '.')
  else string_to_array(regexp_replace(substring(${text} from '^[vV]?([0-9]{1,9}(?:\\.[0-9]{1,9}){0,7})(?![0-9])'), '(\\.0+)+$', ''), '.')
  end::int[]`

const dateOf = (value: SegmentScalar, now: Date): string =>
  typeof value === 'object' ? resolveDate(value, now).toISOString() : new Date(Number.NaN).toISOString()

/**
 * A tag has the type it was written with, and only like is compared with like: jsonb equality does that by itself; an order
 * needs the type first (`case` keeps a text from being cast to a number). Text is ordered by its bytes.
 */
function tagCondition(leaf: SegmentLeaf): Sql {
  const tag = columnOf(leaf)
  const text = sql`u.tags ->> ${leaf.field.name}`
  const ifType = (type: 'string' | 'number', condition: Sql): Sql =>
    sql`case when jsonb_typeof(${tag}) = ${sql.lit(type)} then ${condition} else false end`
  switch (leaf.op) {
    case 'exists':
      return leaf.value ? sql`u.tags ? ${leaf.field.name}` : sql`not u.tags ? ${leaf.field.name}`
    case 'eq':
      return sql`${tag} = ${JSON.stringify(leaf.value)}::jsonb`
    case 'ne':
      return sql`${tag} is distinct from ${JSON.stringify(leaf.value)}::jsonb`
    case 'in':
      return sql`${tag} = any(${leaf.values.map((value) => JSON.stringify(value))}::jsonb[])`
    case 'nin':
      return sql`not coalesce(${tag} = any(${leaf.values.map((value) => JSON.stringify(value))}::jsonb[]), false)`
    case 'contains':
      return ifType('string', sql`position(${leaf.value} in ${text}) > 0`)
    case 'startsWith':
      return ifType('string', sql`starts_with(${text}, ${leaf.value})`)
    default: {
      const sign = orderSign[leaf.op]
      return typeof leaf.value === 'number'
        ? ifType('number', sql`(${text})::float8 ${sign} ${leaf.value}::float8`)
        : ifType('string', sql`${text} collate "C" ${sign} ${leaf.value} collate "C"`)
    }
  }
}
