import { listTags as listTagsCall } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { looksOf } from '@herald/testing/plans'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTags } from './list-tags.ts'
import type { Tables } from '../store/tables.ts'
import { countTags } from './store/tags.ts'
import { tagUsesOf } from './core/tag-uses.ts'
import { openAudience } from '../testing/rig.ts'

const { bus, db, startProcess, config } = await openAudience()
await startProcess()

/** `countTags` has these planner settings in its transaction; a statement that the test runs with `explain` needs them too. */
const asCounted = new URL(config.DATABASE_URL_AUDIENCE)
asCounted.searchParams.set('options', '-c enable_seqscan=off -c enable_bitmapscan=off')

/** Makes `count` users. `tags`: SQL that gives the tags of the user with the number n. */
async function givenUsers(appId: string, count: number, tags: string): Promise<void> {
  // The users are inserted in portions, because on a busy machine 120,000 rows take longer than a statement may.
  for (let from = 1; from <= count; from += 20_000)
    await sql`
      insert into users (id, app_id, tags)
      select substr(md5(${appId} || n), 1, 24), ${appId}, ${sql.raw(tags)}
      from generate_series(${from}::int, ${Math.min(from + 19_999, count)}::int) as n`.execute(db)
}
const read = (appId: string) => bus.call(listTagsCall, { appId })
/** Counts the tags again, like a process that remembers no answer. */
const readAnew = async (appId: string) => tagUsesOf(await countTags(db, appId))

// spec: administration/tags
test('a small app’s list of tags is exact: names in order, types, users and the five most frequent values', async () => {
  const appId = newId()
  await givenUsers(
    appId,
    300,
    `jsonb_build_object('plan', case when n % 3 = 0 then 'pro' else 'free' end, 'score', n, 'mixed', case when n % 2 = 0 then to_jsonb(n) else to_jsonb('x'::text) end)
     || case when n <= 20 then '{"vip": true, "note": "' || repeat('ä', 300) || '"}' else '{}' end::jsonb`,
  )
  await givenUsers(newId(), 50, `'{"other": "app"}'`)

  const { tags, ...counted } = await read(appId)
  expect(counted).toEqual({ exact: true, sample: 300, users: 300, asOf: expect.any(String) })
  expect(tags.map(({ name, type, users, low, high }) => [name, type, users, low, high])).toEqual([
    ['mixed', 'mixed', 300, 300, 300],
    ['note', 'string', 20, 20, 20],
    ['plan', 'string', 300, 300, 300],
    ['score', 'number', 300, 300, 300],
    ['vip', 'boolean', 20, 20, 20],
  ])
  const valuesOf = (name: string) => tags.find((tag) => tag.name === name)?.values
  expect(valuesOf('plan')).toEqual(['free', 'pro'])
  expect(valuesOf('mixed')?.[0]).toBe('x')
  expect(valuesOf('score')).toHaveLength(5)
  expect(valuesOf('vip')).toEqual(['true'])
  expect(valuesOf('note')).toEqual(['ä'.repeat(100)])
})

test('the list of tags is empty for an app without users, and for an app whose users have no tags', async () => {
  const appId = newId()
  await givenUsers(appId, 10, `'{}'`)
  expect(await read(appId)).toMatchObject({ tags: [], exact: true, sample: 10, users: 10 })
  expect(await read(newId())).toMatchObject({ tags: [], exact: true, sample: 0, users: 0 })
})

// spec: administration/tags
test('for a large app’s tags a sample of users is read; the answer gives its size and intervals', async () => {
  const [appId, other] = [newId(), newId()]
  await givenUsers(
    appId,
    120_000,
    `jsonb_build_object('plan', case when n % 4 = 0 then 'pro' else 'free' end, 'orders', n % 50) || case when n % 10 = 0 then '{"vip": true}' else '{}' end::jsonb`,
  )
  await givenUsers(other, 30_000, `'{"foreign": 1}'`)
  await sql`vacuum analyze users`.execute(db)

  const { tags, exact, sample, users } = await readAnew(appId)
  expect(exact).toBe(false)
  expect(sample).toBeGreaterThan(2_000)
  expect(sample).toBeLessThan(50_000)
  expect(Math.abs(users - 120_000)).toBeLessThan(12_000)
  expect(tags.map(({ name, type }) => [name, type])).toEqual([
    ['orders', 'number'],
    ['plan', 'string'],
    ['vip', 'boolean'],
  ])
  // By chance one in twenty intervals of 95 % does not hold the true number, so this test allows twice the interval. core/tag-uses.test.ts shows,
  // with fixed random numbers, that more than 90 % of the intervals hold it.
  const truth = { orders: 120_000, plan: 120_000, vip: 12_000 }
  for (const [name, count] of Object.entries(truth)) {
    const { users: found = 0, low = 0, high = 0 } = tags.find((tag) => tag.name === name) ?? {}
    const width = Math.max(high - low, count / 100)
    expect({ name, holds: found - width <= count && count <= found + width }).toEqual({ name, holds: true })
    expect(low <= found && found <= high).toBe(true)
  }
  expect(tags.find(({ name }) => name === 'plan')?.values).toEqual(['free', 'pro'])

  // The statement reads a limited number of blocks, and never the whole table.
  const { rows } = await sql<{ blocks: number }>`select (pg_relation_size('users') / 8192)::int as blocks`.execute(db)
  const looks = await looksOf<Tables>(asCounted.href, (own) => countTags(own, appId))
  expect(looks.flatMap(({ scanned }) => scanned)).toEqual([])
  const sampling = looks.filter(({ sql: text }) => text.includes('tablesample'))
  expect(sampling).toHaveLength(1)
  expect(sampling[0]?.pages).toBeLessThan(600)
  expect(rows[0]?.blocks).toBeGreaterThan(1_500)
})

// spec: administration/tags
test('for the tags of a small app among large ones all users of the app are read, by an index', async () => {
  const [appId, large] = [newId(), newId()]
  await givenUsers(large, 50_000, `'{"foreign": 1}'`)
  await givenUsers(appId, 500, `'{"plan": "pro"}'`)
  await sql`analyze users`.execute(db)
  const looks = await looksOf<Tables>(asCounted.href, (own) => countTags(own, appId))
  expect(looks.flatMap(({ scanned }) => scanned)).toEqual([])
  expect(looks.reduce((sum, { pages }) => sum + pages, 0)).toBeLessThan(2_500)
  expect(await readAnew(appId)).toMatchObject({ exact: true, users: 500 })
})

test('an app’s tags are counted once for all callers within 30 seconds, and again at once after a failure', async () => {
  const appId = newId()
  await givenUsers(appId, 3, `'{"plan": "pro"}'`)
  let now = 0
  let counts = 0
  let fails = false
  const tags = openTags(
    (work) => {
      counts += 1
      return fails ? Promise.reject(new Error('away')) : work(db)
    },
    () => now,
  )
  const answers = await Promise.all([tags({ appId }), tags({ appId }), tags({ appId })])
  expect([counts, ...answers.map(({ users }) => users)]).toEqual([1, 3, 3, 3])
  now = 29_999
  await tags({ appId })
  expect(counts).toBe(1)
  now = 30_000
  fails = true
  await expect(tags({ appId })).rejects.toThrow('away')
  fails = false
  expect((await tags({ appId })).users).toBe(3)
  expect(counts).toBe(3)
})
