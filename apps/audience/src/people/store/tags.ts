import { sql, type RawBuilder } from 'kysely'
import type { CountedTag, CountedTags } from '../core/tag-uses.ts'
import type { Db } from '../../store/tables.ts'

/** If an app has at most this many users, the tags of all its users are counted; of a larger app, the tags of a sample of its users. */
const mostReadWhole = 10_000
/**
 * A sample should have `enoughUsers` users of the app. If the first, `blocksAtFirst` blocks of the users' table (8 KiB each), has too few of them, a
 * second of up to `mostBlocks` blocks replaces it.
 */
const enoughUsers = 2_000
const blocksAtFirst = 300
const mostBlocks = 5_000
const mostNames = 2_000
const valuesOfTag = 5
const charactersOfValue = 100

/**
 * Counts the tags of an app's users, and gives the 2,000 most frequent. Beyond `mostReadWhole` users it reads a random sample of blocks (`tablesample
 * system`). A sample with few users of the app makes wide 95 % intervals (core/tag-uses.ts).
 */
export const countTags = (db: Db, appId: string): Promise<CountedTags> =>
  db.transaction().execute(async (trx) => {
    // These two settings make the planner read the users of a small app by an index, whatever it assumes about the size of the app.
    await sql`set local enable_seqscan = off`.execute(trx)
    await sql`set local enable_bitmapscan = off`.execute(trx)
    // This is enough memory to count about 50,000 pairs of a tag's name and value.
    await sql`set local work_mem = '32MB'`.execute(trx)
    const { rows } = await sql<{ users: number }>`
      select count(*) as users from (select from users where app_id = ${appId} limit ${mostReadWhole + 1}) as counted`.execute(trx)
    if ((rows[0]?.users ?? 0) <= mostReadWhole)
      return { ...(await countIn(trx, sql`users where app_id = ${appId} limit ${mostReadWhole}`, appId)), ofAll: null }

    const all = await countBlocks(trx)
    const sampled = async (blocks: number): Promise<CountedTags> => {
      const share = Math.min(1, blocks / all)
      const counted = await countIn(trx, sql`users tablesample system (${100 * share})`, appId)
      return { ...counted, ofAll: share < 1 ? all : null }
    }
    const first = await sampled(blocksAtFirst)
    if (first.users >= enoughUsers || first.ofAll === null) return first
    return sampled(Math.min(mostBlocks, blocksAtFirst * Math.ceil(enoughUsers / Math.max(1, first.users))))
  })

async function countBlocks(db: Db): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select (pg_relation_size('users') / current_setting('block_size')::bigint)::int as blocks`.execute(db)
  return rows[0]?.blocks ?? 0
}

type Counted = Omit<CountedTags, 'ofAll'>

/**
 * Counts, among these rows of the table of users, the app's users and for each tag the users who have it. From `squares` in the answer, `estimate`
 * computes how much these numbers differ between blocks.
 */
async function countIn(db: Db, users: RawBuilder<unknown>, appId: string): Promise<Counted> {
  const { rows } = await sql<Omit<Counted, 'tags'> & { tags: CountedTag[] | null }>`
    with read as materialized (
      select (ctid::text::point)[0]::bigint as block, app_id = ${appId} as is_ours, case when app_id = ${appId} then tags end as tags from ${users}
    ), blocks as (
      select block, count(*) filter (where is_ours) as users from read group by block
    ), pairs as materialized (
      select read.block, tag.key as name, jsonb_typeof(tag.value) as type, left(tag.value #>> '{}', ${charactersOfValue}) as value
      from read, jsonb_each(read.tags) as tag where is_ours
    ), of_block as (
      select name, block, count(*) as users from pairs group by name, block
    ), names as (
      select name, sum(users) as users, sum(users * users) as squares from of_block group by name order by sum(users) desc, name limit ${mostNames}
    ), of_value as (
      select name, value, min(type) as low_type, max(type) as high_type, row_number() over (partition by name order by count(*) desc, value) as place
      from pairs group by name, value
    ), of_name as (
      select name, array_agg(value order by place) filter (where place <= ${valuesOfTag}) as "values",
        case when min(low_type) = max(high_type) then array[min(low_type)] else array[min(low_type), max(high_type)] end as types
      from of_value group by name
    )
    select
      (select json_agg(json_build_object('name', n.name, 'users', n.users, 'squares', n.squares, 'types', o.types, 'values', o."values"))
        from names n join of_name o on o.name = n.name) as tags,
      now() as "asOf", (select count(*)::int from blocks) as blocks, coalesce((select sum(users)::int from blocks), 0) as users,
      coalesce((select sum(users * users)::float8 from blocks), 0) as squares`.execute(db)
  const [counted] = rows
  if (!counted) throw new Error('a count has one row')
  return { ...counted, tags: counted.tags ?? [] }
}
