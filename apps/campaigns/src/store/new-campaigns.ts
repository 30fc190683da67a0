import { pointedAtOnce } from '@herald/contracts/topology'
import { sql, type RawBuilder } from 'kysely'
import { columnsOf, ownLease, type NewCampaign } from './campaigns.ts'
import type { Db } from './tables.ts'

/** The columns of a new campaign with their types. The insert gets each column as one array with the values of all rows. */
const typesOf = {
  ...{
    id: 'text',
    app_id: 'text',
    status: 'text',
    transactional: 'bool',
    name: 'text',
    target: 'jsonb',
    content: 'jsonb',
    template_id: 'text',
  },
  ...{ silent: 'bool', data: 'jsonb', ttl: 'int', collapse_id: 'text', priority: 'text', presentation: 'jsonb', bypass: 'jsonb' },
  ...{ overrides: 'jsonb', schedule: 'jsonb', segment_id: 'text', experiment: 'jsonb' },
} as const

/**
 * Writes notifications and drafts in one statement, and gives the written ones by id; those of an erased app are missing. `waiting`: audience has 64
 * unstarted sends of the app (`pointedAtOnce`), so the sweep takes it later.
 */
export async function insertCampaigns(db: Db, campaigns: NewCampaign[]): Promise<Map<string, { waiting: boolean }>> {
  if (campaigns.length === 0) return new Map()
  const rows = campaigns.map(({ id, appId, status, transactional, author = null, ...draft }) => ({
    ...{ id, app_id: appId, status, transactional, author },
    ...columnsOf(draft),
  }))
  // Most sends have no category, inbox, author or Live Activity, and their statement does not name the columns.
  const types = {
    ...typesOf,
    ...(rows.some(({ category }) => category !== null) ? { category: 'jsonb' as const } : {}),
    ...(rows.some(({ inbox }) => inbox) ? { inbox: 'bool' as const } : {}),
    ...(rows.some(({ activity }) => activity !== null) ? { activity: 'jsonb' as const } : {}),
    ...(rows.some(({ author }) => author !== null) ? { author: 'text' as const } : {}),
  }
  const columns = Object.entries(types).map(([name, type]) => ({
    name: sql.id(name),
    type: sql.raw(type),
    of: name as keyof typeof types,
  }))
  const names = sql.join(columns.map(({ name }) => name))
  const written = await sql<{ id: string; waiting: boolean }>`
    with given as (
      select *, row_number() over (partition by app_id, status order by place) as turn
      from unnest(${sql.join(columns.map(({ of, type }) => sql`${rows.map((row) => row[of])}::${type}[]`))})
        with ordinality as given(${names}, place)
    ), rooms as materialized (
      select app_id, greatest(0, ${pointedAtOnce} - ${pointedAt(sql`apps.app_id`)}) as room
      from (select distinct app_id from given where status = 'sending') as apps
    )
    insert into campaigns (${names}, due_at)
    select ${sql.join(columns.map(({ name }) => sql`given.${name}`))},
      case when status <> 'sending' then null when turn <= room then ${ownLease} else now() end
    from given left join rooms on rooms.app_id = given.app_id
    returning id, coalesce(due_at <= now(), false) as waiting`.execute(db)
  return new Map(written.rows.map(({ id, waiting }) => [id, { waiting }]))
}

/** Marks the tests among campaigns that this transaction has written. Marking is a separate statement, so that no other send pays for the column. */
export const markTests = (trx: Db, campaigns: NewCampaign[]) =>
  trx
    .updateTable('campaigns')
    .set({ test: true })
    .where('id', '=', sql<string>`any(${campaigns.flatMap(({ id, test }) => (test ? [id] : []))})`)
    .execute()

/** Writes the rates of campaigns that this transaction has written. Writing is a separate statement, so that no other send pays for the column. */
export const writeRates = (trx: Db, campaigns: NewCampaign[]) =>
  sql`
    update campaigns set send_rate = given.per_minute
    from unnest(${campaigns.map(({ id }) => id)}::text[], ${campaigns.map(({ send }) => send.perMinute)}::int[]) as given(id, per_minute)
    where campaigns.id = given.id and given.per_minute is not null`.execute(trx)

/**
 * Counts, up to 64, the sends of an app that audience was told of and has not started. They are the ones whose `due_at` lies ahead: at that time the
 * sweep tells audience of them again.
 */
export const pointedAt = (appId: RawBuilder<unknown>) => sql`
  (select count(*) from (
    select from campaigns where status = 'sending' and app_id = ${appId} and due_at > now() order by due_at limit ${sql.lit(pointedAtOnce)}
  ) as counted)`
