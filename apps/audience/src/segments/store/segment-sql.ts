import type { DeviceFieldName, Segment, SegmentLeaf, SegmentNode, SegmentScalar, UserFieldName } from '@herald/contracts/segment'
import { namesOfLanguage, namesOfZone, oldLanguageCodes } from '@herald/contracts/text'
import { costOf, leavesOf, resolveDate, versionParts } from '@herald/contracts/segment'
import { sql, type RawBuilder } from 'kysely'

type Sql = RawBuilder<unknown>

const lastNotifiedAt = (subscriptionId: Sql): Sql =>
  sql`(select date_trunc('milliseconds', n.at) from last_notified n where n.subscription_id = ${subscriptionId})`

/** The SQL of each field of a segment: `s` is the device, `u` its owner. Dates are compared as the API shows them, in whole milliseconds. */
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
  lastNotifiedAt: lastNotifiedAt(sql`s.id`),
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

/** The condition for a reachable device `s` (spec: identity/reachable). */
export const reachable = sql<boolean>`s.opted_in and s.invalidated_at is null`

/** The condition for a device `s` that a send may queue. An inbox is for those who switched pushes off too (spec: inbox/opted-out). */
export const mayBeQueued = (inbox: boolean): Sql => (inbox ? sql`s.invalidated_at is null` : reachable)

/** Whether a segment has conditions about the user, so that the query must join users. */
export const asksAboutUser = (segment: Segment): boolean =>
  segment.is !== 'everyone' && leavesOf(segment).some(({ field }) => field.on !== 'device')

/**
 * Gives a version's first eight numeric parts, filled with zeros, like `versionParts` in libs/contracts; null for other texts. Most versions need no
 * regular expression; for others two simple ones take 2 µs, a single one 12 µs.
 */
const versionOf = (text: Sql): Sql => sql`
  (string_to_array(
    case when length(${text}) <= 9 and translate(${text}, '0123456789.', '') = '' and '.' || ${text} || '.' not like '%..%' then ${text}
    else nullif(regexp_replace(substring(${text} from '^[vV]?([0-9]+(?:\\.[0-9]+)*)'), '(?:^|\\.)[0-9]{10}.*$', ''), '') end
    || '.0.0.0.0.0.0.0', '.')::int[])[1:8]`
/** Gives a version in a segment in the form of `versionOf`, as the text of a Postgres array. */
const versionText = (value: SegmentScalar): string => {
  const parts = (typeof value === 'string' && versionParts(value)) || []
  return `{${Array.from({ length: 8 }, (_, place) => parts[place] ?? 0).join(',')}}`
}

/**
 * Values of a device that are expensive to compute ("facts"). When several leaves (single conditions) of a segment ask for the same fact, it is
 * computed once for each device.
 */
const facts = {
  appVersion: versionOf(sql`s.app_version`),
  sdkVersion: versionOf(sql`s.sdk_version`),
  osVersion: versionOf(sql`s.os_version`),
  lastNotifiedAt: deviceColumn.lastNotifiedAt,
}
type Fact = keyof typeof facts
const factNames: readonly Fact[] = ['appVersion', 'sdkVersion', 'osVersion', 'lastNotifiedAt']

function factOf({ field, op }: SegmentLeaf): Fact | undefined {
  const isText = field.type === 'version' && (op === 'exists' || op === 'contains' || op === 'startsWith')
  return isText || field.on !== 'device' ? undefined : factNames.find((name) => name === field.name)
}

/**
 * What a leaf is compiled with. `now`: relative dates count from it. `shared`: the facts computed once for each device. `tagColumns`: by a tag's
 * name, the inner query's column that has its value.
 */
type Compiling = { now: Date; shared: ReadonlySet<Fact>; tagColumns: ReadonlyMap<string, string> }

/** Gives the SQL of a stored language with the present code in the place of an old one (`withPresentCode`). Every old code has two letters. */
export const inPresentCode = (language: Sql): Sql =>
  sql`case split_part(${language}, '-', 1) ${sql.join(
    oldLanguageCodes.map(([old, present]) => sql`when ${sql.lit(old)} then ${sql.lit(present)} || substr(${language}, 3)`),
    sql` `,
  )} else ${language} end`

const orderSign = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const

/** Keeps Postgres from merging an inner query into the outer one. With a plain 0 instead of a bigint Postgres would not run the query in parallel. */
const barrier = sql`offset bigint '0'`

/**
 * The parts of the query that selects devices: `s` is the device, and `u` its owner if the segment asks about the user. `columns` begins with `s.id`.
 */
type Devices = { columns: Sql; from: Sql; where: Sql }

/**
 * Compiles a segment to SQL after `from`: rows `f` of exactly the devices for which `matches` (libs/contracts) is true (spec: segments/same-meaning).
 * Relative dates count from `now`. The condition is never null, so `not` is simple.
 */
export function devicesMeant(segment: Segment, now: Date, { columns, from, where }: Devices): Sql {
  if (segment.is === 'everyone') return sql`(select ${columns} from ${from} where ${where}) f`
  const leaves = leavesOf(segment)
  const asked = leaves.map(factOf)
  const shared = new Set(factNames.filter((name) => asked.indexOf(name) !== asked.lastIndexOf(name)))
  const tagNames = leaves.flatMap(({ field }) => (field.on === 'tag' ? [field.name] : []))
  // These operators first check the type of the tag, so their SQL reads the tag more than once.
  const looksTwice = ({ op }: SegmentLeaf) => op in orderSign || op === 'contains' || op === 'startsWith'
  const tagsOfMany = [
    ...new Set([
      ...tagNames.filter((name, place) => tagNames.indexOf(name) !== place),
      ...leaves.flatMap((leaf) => (leaf.field.on === 'tag' && tagNames.length > 1 && looksTwice(leaf) ? [leaf.field.name] : [])),
    ]),
  ]
  const tagColumns = new Map(tagsOfMany.map((name, place) => [name, `tag_${place}`]))
  // Without `barrier` the planner would compute a shared fact at each use. A lateral join instead would not run in parallel workers.
  const apart = shared.size > 0 || tagNames.length > 1 ? barrier : sql``

  const fields = new Map<string, Sql>()
  for (const { field } of leaves) {
    if (field.on === 'device' && field.name !== 'lastNotifiedAt') fields.set(`device_${field.name}`, deviceColumn[field.name])
    if (field.on === 'user') fields.set(`user_${field.name}`, userColumn[field.name])
  }
  for (const name of shared) fields.set(`fact_${name}`, facts[name])
  // When a user has many tags, Postgres stores them compressed, and each read of one tag would unpack all of them. Adding an empty object to the tags
  // makes Postgres unpack them only once.
  if (tagNames.length > 0) fields.set('tags', tagNames.length > 1 ? sql`u.tags || '{}'::jsonb` : sql`u.tags`)
  const known = [...fields].map(([name, column]) => sql`${column} as ${sql.ref(name)}`)
  const devices = sql`(select ${sql.join([columns, ...known])} from ${from} where ${where} ${apart})`
  const values = [...tagColumns].map(([name, column]) => sql`f.tags -> ${name} as ${sql.ref(column)}`)
  const rows = values.length > 0 ? sql`(select f.*, ${sql.join(values)} from ${devices} f ${barrier})` : devices
  return sql`${rows} f where ${conditionOf(segment, { now, shared, tagColumns })}`
}

function conditionOf(node: SegmentNode, compiling: Compiling): RawBuilder<boolean> {
  if (node.is === 'not') return sql`(not ${conditionOf(node.node, compiling)})`
  if (node.is === 'leaf') {
    return sql`coalesce(${node.field.on === 'tag' ? tagCondition(node, compiling) : fieldCondition(node, compiling)}, false)`
  }
  // The cheap nodes of an `and` or `or` come first, because Postgres stops at the first node that decides the result.
  const conditions = node.nodes.toSorted((one, other) => costOf(one) - costOf(other)).map((one) => conditionOf(one, compiling))
  return sql`(${sql.join(conditions, node.is === 'and' ? sql` and ` : sql` or `)})`
}

function fieldCondition(leaf: SegmentLeaf, compiling: Compiling): Sql {
  const column = columnOf(leaf, compiling)
  switch (leaf.op) {
    case 'exists':
      return leaf.value ? sql`${column} is not null` : sql`${column} is null`
    case 'eq':
      return equalsAny(leaf, column, [leaf.value], compiling)
    case 'in':
      return equalsAny(leaf, column, leaf.values, compiling)
    case 'ne':
      return sql`not coalesce(${equalsAny(leaf, column, [leaf.value], compiling)}, false)`
    case 'nin':
      return sql`not coalesce(${equalsAny(leaf, column, leaf.values, compiling)}, false)`
    case 'contains':
      return sql`position(${leaf.value} in ${wordsOf(leaf, column)}) > 0`
    case 'startsWith':
      return sql`starts_with(${wordsOf(leaf, column)}, ${leaf.value})`
    default:
      return compares(leaf, column, leaf.value, compiling, orderSign[leaf.op])
  }
}

const textsIn = (values: SegmentScalar[]): string[] => values.filter((value) => typeof value === 'string')

const wordsOf = ({ field }: SegmentLeaf, column: Sql): Sql => (field.type === 'language' ? inPresentCode(column) : column)

function columnOf(leaf: SegmentLeaf, { shared, tagColumns }: Compiling): Sql {
  const { field } = leaf
  if (field.on === 'tag') {
    const column = tagColumns.get(field.name)
    return column ? sql.ref(`f.${column}`) : sql`f.tags -> ${field.name}`
  }
  const fact = factOf(leaf)
  if (fact && shared.has(fact)) return sql.ref(`f.fact_${fact}`)
  if (fact === 'lastNotifiedAt') return lastNotifiedAt(sql`f.id`)
  const column = sql.ref(`f.${field.on}_${field.name}`)
  return fact ? versionOf(column) : column
}

function equalsAny({ field }: SegmentLeaf, column: Sql, values: SegmentScalar[], { now }: Compiling): Sql {
  switch (field.type) {
    case 'version':
      // `= any` is not used here, because Postgres would take an array of versions (arrays) for one array of numbers. The versions after `in` are
      // hashed once.
      return values.length === 1
        ? sql`${column} = ${versionText(values[0] ?? '')}::int[]`
        : sql`${column} in (select listed::int[] from unnest(${values.map(versionText)}::text[]) as listed)`
    case 'date':
      return sql`${column} = any(${values.map((value) => dateOf(value, now))}::timestamptz[])`
    case 'number':
      return sql`${column}::float8 = any(${values}::float8[])`
    case 'boolean':
      return sql`${column} = any(${values}::boolean[])`
    case 'language':
      return sql`${column} = any(${textsIn(values).flatMap(namesOfLanguage)}::text[])`
    case 'zone':
      return sql`lower(${column}) = any(${[...new Set(textsIn(values).flatMap(namesOfZone))]}::text[])`
    default:
      return sql`${column} = any(${values}::text[])`
  }
}

/** Compiles a comparison by order, which exists for dates, numbers and versions (`operatorsOf`); `tagCondition` does this for tags. */
function compares({ field }: SegmentLeaf, column: Sql, value: SegmentScalar, { now }: Compiling, sign: Sql): Sql {
  if (field.type === 'version') return sql`${column} ${sign} ${versionText(value)}::int[]`
  if (field.type === 'date') return sql`${column} ${sign} ${dateOf(value, now)}::timestamptz`
  return sql`${column}::float8 ${sign} ${value}::float8`
}

const dateOf = (value: SegmentScalar, now: Date): string =>
  typeof value === 'object' ? resolveDate(value, now).toISOString() : new Date(Number.NaN).toISOString()

/**
 * Compiles a leaf about a tag. Only values of the type with which the tag was written are compared: `case` keeps Postgres from casting a text to a
 * number. Texts are ordered by their bytes.
 */
function tagCondition(leaf: SegmentLeaf, compiling: Compiling): Sql {
  const tag = columnOf(leaf, compiling)
  const text = sql`((${tag}) #>> '{}')`
  const ifType = (type: 'string' | 'number', condition: Sql): Sql =>
    sql`case when jsonb_typeof(${tag}) = ${sql.lit(type)} then ${condition} else false end`
  switch (leaf.op) {
    case 'exists':
      return leaf.value ? sql`${tag} is not null` : sql`${tag} is null`
    case 'eq':
      return sql`${tag} = ${JSON.stringify(leaf.value)}::jsonb`
    case 'ne':
      return sql`not coalesce(${tag} = ${JSON.stringify(leaf.value)}::jsonb, false)`
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
        ? ifType('number', sql`${text}::float8 ${sign} ${leaf.value}::float8`)
        : ifType('string', sql`${text} collate "C" ${sign} ${leaf.value} collate "C"`)
    }
  }
}
