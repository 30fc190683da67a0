import { newId } from '@herald/contracts/ids'
import {
  findField,
  matches,
  operatorsOf,
  parseSegment,
  type FieldType,
  type Segment,
  type SegmentDevice,
  type SegmentUser,
} from '@herald/contracts/segment'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { openAudience } from '../../testing/rig.ts'
import { devicesMeant } from './segment-sql.ts'

const { db } = await openAudience()
const appId = newId()
const now = new Date('2026-06-15T12:00:00.000Z')

const userCount = 320
type TestUser = { id: string; device: SegmentDevice; user: SegmentUser }
const users: TestUser[] = []

/**
 * The values that the test's devices and users have. They are few, so that random conditions often match, and some are missing, equal, or only look
 * alike.
 */
const versions = [
  ...[null, '9.9', '10.2', '10.2.0', 'v10.2.0-beta', '10', '1234567890', '1.1234567890', 'beta', ''],
  ...['0', '0.0', '100', '10.20', '1.02', '.9', '9.', '9..1', '.', '123456789', '1.2.3.4.5.6.7.8.9', '10.2 '],
]
const texts = [null, '', 'de', 'DE', 'Zürich', 'zürich', '10', 'true']
const dates = [null, ...[0, -1, 1, -3_600_000, -86_400_000 * 14].map((ms) => new Date(now.getTime() + ms))]
const tagValues = [undefined, 0, 1, -1.5, 1e15, 5e-324, '1', 'gold', '', 'true', true, false]
const pick = <T>(from: readonly T[], index: number, step: number): T => from[(index * step + (index % 7)) % from.length] as T
const certain = (date: Date | null): Date => date ?? now

beforeAll(async () => {
  for (let index = 0; index < userCount; index += 1) {
    const userId = newId()
    const tag = pick(tagValues, index, 5)
    users.push({
      id: newId(),
      device: {
        platform: pick(['ios', 'android', 'web'] as const, index, 1),
        browser: pick(texts, index, 3),
        standalone: pick([null, true, false], index, 1),
        appVersion: pick(versions, index, 1),
        sdkVersion: pick(versions, index, 3),
        osVersion: pick(versions, index, 7),
        deviceModel: pick(texts, index, 5),
        sessionCount: index % 4,
        lastSessionAt: pick(dates, index, 1),
        createdAt: certain(pick(dates, index, 5)),
        lastActiveAt: certain(pick(dates, index, 2)),
        lastNotifiedAt: pick(dates, index, 4),
      },
      user: {
        userId,
        externalId: index % 5 === 0 ? null : `user-${index}`,
        language: pick([null, 'de', 'pt-BR', 'en', 'iw', 'he-IL', 'no-NO', 'nb'], index, 1),
        timezone: pick([null, 'Europe/Berlin', 'Asia/Calcutta', 'asia/KOLKATA'], index, 1),
        country: pick([null, 'DE', 'BR'], index, 1),
        createdAt: certain(pick(dates, index, 3)),
        lastActiveAt: certain(pick(dates, index, 1)),
        tags: { ...(tag === undefined ? {} : { t: tag }), ...(index % 2 === 0 ? { other: index } : {}) },
      },
    })
  }
  for (const { id, device, user } of users) {
    await sql`
      insert into users (id, app_id, external_id, tags, language, timezone, country, created_at, last_active_at)
      values (${user.userId}, ${appId}, ${user.externalId}, ${JSON.stringify(user.tags)}::jsonb, ${user.language}, ${user.timezone}, ${user.country},
        ${user.createdAt}, ${user.lastActiveAt})`.execute(db)
    await sql`
      insert into subscriptions (id, app_id, user_id, platform, address, address_hash, browser, standalone, app_version, sdk_version, os_version,
        device_model, session_count, last_session_at, created_at, last_active_at)
      values (${id}, ${appId}, ${user.userId}, ${device.platform}, ${id}, ${Buffer.from(id)}, ${device.browser}, ${device.standalone}, ${device.appVersion},
        ${device.sdkVersion}, ${device.osVersion}, ${device.deviceModel}, ${device.sessionCount}, ${device.lastSessionAt}, ${device.createdAt},
        ${device.lastActiveAt})`.execute(db)
    if (device.lastNotifiedAt) await db.insertInto('last_notified').values({ subscription_id: id, at: device.lastNotifiedAt }).execute()
  }
})

async function selected(segment: Segment): Promise<string[]> {
  const [ids = []] = await selectedByEach([segment])
  return ids
}
async function selectedByEach(segments: Segment[]): Promise<string[][]> {
  if (segments.length === 0) return []
  const answers = segments.map((segment) => {
    const devices = devicesMeant(segment, now, {
      columns: sql`s.id`,
      from: sql`subscriptions s join users u on u.id = s.user_id`,
      where: sql`s.app_id = ${appId}`,
    })
    return sql`(select coalesce(json_agg(f.id order by f.id), '[]') from ${devices})`
  })
  const { rows } = await sql<{ answers: string[][] }>`select json_build_array(${sql.join(answers)}) as answers`.execute(db)
  return rows[0]?.answers ?? []
}
const expected = (segment: Segment): string[] =>
  users
    .filter(({ device, user }) => matches(segment, device, user, now))
    .map(({ id }) => id)
    .toSorted()

const scalar = fc.oneof(
  fc.constantFrom('de', 'DE', 'ü', '', 'gold', '1', 'true', 'ios', 'web', 'pt-BR', 'BR', 'user-6', 'Europe/Berlin', 'Zürich'),
  fc.constantFrom('9.9', '10.2', '10', '10.2.1', 'v10.2', '1.1', '0', '100', '1.02'),
  fc.constantFrom('-14d', '+1h', '-1m', now.toISOString(), '2026-06-15T11:59:59.999Z', '2026-06-01'),
  fc.constantFrom(0, 1, 2, -1.5, 1e15, 5e-324, 0.1),
  fc.boolean(),
)
/** Values that are valid for a field of each type, so that most random conditions compile. */
const fitting: Record<FieldType, fc.Arbitrary<unknown>> = {
  platform: fc.constantFrom('ios', 'android', 'web'),
  boolean: fc.boolean(),
  id: fc.nat(userCount - 1).map((place) => users[place]?.user.userId),
  string: fc.constantFrom('de', 'DE', 'Zürich', '10', 'true', 'user-6', 'Europe/Berlin', ''),
  language: fc.constantFrom('de', 'pt-BR', 'pt', 'en', 'he', 'iw', 'nb-NO'),
  zone: fc.constantFrom('Europe/Berlin', 'europe/berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'nowhere'),
  country: fc.constantFrom('DE', 'br'),
  number: fc.constantFrom(0, 1, 2, 2.5),
  date: fc.constantFrom('-14d', '+1h', '-1m', now.toISOString(), '2026-06-15T11:59:59.999Z', '2026-06-01'),
  version: fc.constantFrom('9.9', '10.2', '10', '10.2.1', 'v10.2', '1.1', '0', '100', '1.02'),
  tag: scalar,
}
const field = fc.constantFrom(
  ...['platform', 'browser', 'standalone', 'appVersion', 'sdkVersion', 'osVersion', 'deviceModel', 'sessionCount'],
  ...['lastSessionAt', 'createdAt', 'lastActiveAt', 'lastNotifiedAt', 'userId', 'externalId', 'language', 'timezone', 'country'],
  ...['tags.t', 'tags.other', 'tags.none', 'user.createdAt', 'user.lastActiveAt'],
)
const leaf: fc.Arbitrary<unknown> = field.chain((name): fc.Arbitrary<unknown> => {
  const type = findField(name)?.type ?? 'tag'
  const [fits, text] = [fitting[type], fc.constantFrom('', 'e', 'de', 'he', 'no', 'iw-', '1', 'Z', 'user-')]
  return fc.constantFrom(...operatorsOf[type]).chain((op): fc.Arbitrary<unknown> => {
    if (op === 'exists') return fc.record({ field: fc.constant(name), op: fc.constant(op), value: fc.boolean() })
    if (op === 'in' || op === 'nin') {
      return fc.record({ field: fc.constant(name), op: fc.constant(op), value: fc.array(fits, { minLength: 1, maxLength: 4 }) })
    }
    const value = op === 'contains' || op === 'startsWith' ? text : op === 'eq' || op === 'ne' ? fc.option(fits, { freq: 8 }) : fits
    return fc.record({ field: fc.constant(name), op: fc.constant(op), value })
  })
})
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ and: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('node') }),
  ),
})).node

/**
 * Checks that each valid definition selects the devices that match it, and gives the number of valid ones. It uses one query for all definitions: a
 * query for 40 segments costs little more than a query for one.
 */
async function checkAll(definitions: unknown[]): Promise<number> {
  const segments = definitions.flatMap((definition) => {
    const parsed = parseSegment(definition, 'segment')
    return parsed.ok ? [parsed.segment] : []
  })
  const answers = await selectedByEach(segments)
  for (const [place, segment] of segments.entries()) expect({ segment, ids: answers[place] }).toEqual({ segment, ids: expected(segment) })
  return segments.length
}

// spec: segments/same-meaning, segments/device-fields, segments/user-fields, segments/operators
test('more than 3,000 random segments of a single condition select exactly the devices that match them, among 320 users', async () => {
  let compiled = 0
  const some = fc.array(leaf, { minLength: 40, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(some, async (definitions) => {
      compiled += await checkAll(definitions)
    }),
    { numRuns: 100 },
  )
  expect(compiled).toBeGreaterThan(3_000)
})

// spec: segments/same-meaning
test('more than 5,000 random segments of nested conditions select exactly the devices that match them, among 320 users', async () => {
  let compiled = 0
  const some = fc.array(tree, { minLength: 20, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(some, async (definitions) => {
      compiled += await checkAll(definitions)
    }),
    { numRuns: 330 },
  )
  expect(compiled).toBeGreaterThan(5_000)
})

test('five of the most expensive segments that Herald accepts select exactly the devices that match them, among 320 users', async () => {
  const listed = (of: (place: number) => unknown) => Array.from({ length: 500 }, (_, place) => of(place))
  const lists = (count: number, name: string, of: (place: number) => unknown) =>
    Array.from({ length: count }, (_, n) => ({ field: name, op: 'in', value: listed((place) => of(n * 500 + place)) }))
  const many = (count: number, one: unknown) => ({ or: Array(count).fill(one) })
  const dearest = [
    { or: lists(8, 'appVersion', (n) => `10.${n}`) },
    { or: lists(20, 'externalId', (n) => `user-${n}`) },
    { or: lists(20, 'tags.t', (n) => n) },
    { and: [{ not: many(50, { field: 'tags.t', op: 'eq', value: 'gold' }) }, many(50, { field: 'tags.other', op: 'ne', value: 4 })] },
    { and: [many(30, { field: 'lastNotifiedAt', op: 'gt', value: '-14d' }), many(30, { field: 'sdkVersion', op: 'lte', value: '10.2' })] },
  ]
  expect(await checkAll(dearest)).toBe(dearest.length)
})

// spec: segments/everyone
test('the empty segment selects every device', async () => {
  expect(await selected({ is: 'everyone' })).toHaveLength(users.length)
})

test('a value of a segment that contains SQL is compared as text, and the SQL is not run', async () => {
  const hostile = "'; drop table users; --"
  for (const definition of [
    { field: 'browser', op: 'eq', value: hostile },
    { field: 'deviceModel', op: 'contains', value: hostile },
    { field: 'tags.t', op: 'in', value: [hostile] },
  ]) {
    const parsed = parseSegment(definition, 'segment')
    if (!parsed.ok) throw new Error(parsed.message)
    expect(await selected(parsed.segment)).toEqual([])
  }
})
