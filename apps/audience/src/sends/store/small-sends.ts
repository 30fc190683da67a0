import { smallSend } from '@herald/contracts/batch'
import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import type { FrozenCategory } from '@herald/contracts/category'
import { platformColumns, platforms, type Platform } from '@herald/contracts/platform'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import { takenLease } from '../../delivery/store/taken-batches.ts'
import { reachable } from '../../segments/store/segment-sql.ts'
import type { Db, FanOutTable } from '../../store/tables.ts'
import { roomOnLane, soon } from '../../store/turns.ts'
import type { PageDevice } from '../core/queueing.ts'
import { toFanOut, type FanOut } from './fan-outs.ts'
import { listOf, type MadeBatch } from './made-batches.ts'

export type FewAsked = {
  appId: string
  target: FrozenSmallSend['target']
  withZones: boolean
  category?: FrozenCategory | null
  inbox?: boolean
}
/** The devices of several small sends, in the order asked; `many` for more than 100 devices. `exactStart`: the database's time with microseconds. */
export type Few = { startedAt: Date; exactStart: string; devices: (PageDevice[] | 'many')[] }

/**
 * Finds the reachable devices that small sends name, in one statement, each by its key. (Without `offset 0` the planner may choose another join;
 * without `app_id || ''` it may read all devices of the app.)
 */
export async function findFew(db: Db, asked: FewAsked[]): Promise<Few> {
  const categories = asked.some(({ category }) => category) ? asked.map(({ category }) => category) : null
  const withInbox = asked.some(({ inbox }) => inbox)
  const deviceColumns = withInbox ? sql`s.id, s.user_id, s.platform, s.opted_in` : sql`s.id, s.user_id, s.platform`
  const mayBeQueued = withInbox ? sql`s.invalidated_at is null and (s.opted_in or asked.inbox)` : reachable
  /** Selects the devices of a user, at most one more than a small send may have: with one more, the send is no small send. */
  const devicesOf = (userId: RawBuilder<unknown>) => sql`
    select ${deviceColumns} from subscriptions s
    where s.user_id = ${userId} and s.app_id || '' = asked.app_id and ${mayBeQueued} limit ${sql.lit(smallSend + 1)}`
  /** Selects the devices for the ids in a target, if the target is of this kind. For a target of another kind it looks nothing up. */
  const named = (kind: FrozenSmallSend['target']['kind'], devices: RawBuilder<unknown>) => sql`
    select ${deviceColumns}
    from unnest(case when asked.kind = ${sql.lit(kind)} then asked.names end) as name cross join lateral (${devices} offset 0) as s`
  const { rows } = await sql<{
    startedAt: Date
    exactStart: string
    place: number | null
    id: string
    userId: string
    platform: Platform
    zone: string | null
    isOutside?: boolean
    isOptedOut?: boolean
  }>`
    select clock.now as "startedAt", clock.now::text as "exactStart", found.*
    from (select now() as now) as clock left join (
      select asked.place::int as place, s.id, s.user_id as "userId", s.platform, u.timezone as zone${categories ? sql`, ${isOutside} as "isOutside"` : sql``}${withInbox ? sql`, not s.opted_in as "isOptedOut"` : sql``}
      from (
        select place, app_id, kind, with_zones, array(select jsonb_array_elements_text(names)) as names${categories ? sql`, category, begins_in` : sql``}${withInbox ? sql`, inbox` : sql``}
        from unnest(
          ${asked.map(({ appId }) => appId)}::text[], ${asked.map(({ target }) => target.kind)}::text[],
          ${asked.map(({ target }) => JSON.stringify(namesOf(target)))}::jsonb[], ${asked.map(({ withZones }) => withZones)}::bool[]
          ${categories ? sql`, ${categories.map((one) => one?.id ?? null)}::text[], ${categories.map((one) => one?.default === 'in')}::bool[]` : sql``}
          ${withInbox ? sql`, ${asked.map(({ inbox }) => inbox ?? false)}::bool[]` : sql``}
        ) with ordinality as given(app_id, kind, names, with_zones, ${categories ? sql`category, begins_in,` : sql``} ${withInbox ? sql`inbox,` : sql``} place)
      ) as asked
        cross join lateral (
          ${named('externalIds', sql`select s.* from users u cross join lateral (${devicesOf(sql`u.id`)}) as s where (u.app_id || ' ' || u.external_id) = asked.app_id || ' ' || name`)}
          union all
          ${named('userIds', devicesOf(sql`name`))}
          union all
          ${named('subscriptionIds', sql`select ${deviceColumns} from subscriptions s where s.id = name and s.app_id || '' = asked.app_id and ${mayBeQueued}`)}
          limit ${sql.lit(smallSend + 1)}
        ) as s
        left join lateral (select timezone from users where asked.with_zones and id = s.user_id offset 0) as u on true
        ${categories ? choices : sql``}
    ) as found on true
    order by found.place, found.id`.execute(db)
  const [first] = rows
  if (!first) throw new Error('a select of one row answered none')
  const devices: PageDevice[][] = asked.map(() => [])
  for (const { place, ...device } of rows) if (place !== null) devices[place - 1]?.push(device)
  const { startedAt, exactStart } = first
  return { startedAt, exactStart, devices: devices.map((few) => (few.length > smallSend ? 'many' : few)) }
}

/** Joins the own choices of the users whose send has a category. */
const choices = sql`left join lateral (select preferences from users where asked.category is not null and id = s.user_id offset 0) as p on true`
const isOutside = sql`asked.category is not null and not coalesce((p.preferences -> asked.category)::boolean, asked.begins_in)`

function namesOf(target: FrozenSmallSend['target']): string[] {
  const names = target.kind === 'externalIds' ? target.externalIds : target.kind === 'userIds' ? target.userIds : target.subscriptionIds
  return [...new Set(names)]
}

export type NewSmallSend = Pick<FanOut, 'campaignId' | 'appId' | 'send' | 'settings'> & {
  counts: Record<Platform, number>
  /** `hasTaker`: whether a place of a waiting dispatcher is reserved for the batch. */
  batches: (MadeBatch & { hasTaker: boolean })[]
}
/**
 * A complete fan-out of which campaigns and tracker were not told yet. `taken`: ids of batches leased to waiting dispatchers. `pointedAt`: those of
 * batches at which pointers are published now. `madeAt`: since when they are queued.
 */
export type MadeSmallSend = { row: FanOut; taken: Set<string>; pointedAt: Set<string>; madeAt: Date }

const queuedColumns = sql.raw(platformColumns('queued').join(', '))

/**
 * Inserts complete fan-outs of small sends with their batches, without known ones and erased apps. A full lane's further batches wait for the sweep
 * (store/turns.ts). A batch is leased to its taker unless lane or circuit forbids.
 */
export async function insertSmallSends(db: Db, exactStart: string, sends: NewSmallSend[]): Promise<Map<string, MadeSmallSend>> {
  if (sends.length === 0) return new Map()
  const batches = sends.flatMap(({ campaignId, batches: made }) => made.map((batch) => ({ campaignId, ...batch })))
  const { rows } = await sql<
    Omit<Selectable<FanOutTable>, 'send' | 'target' | 'settings' | 'waves' | 'past_waves' | 'failure'> & {
      taken: string[] | null
      pointedAt: string[] | null
      madeAt: Date
    }
  >`
    -- The fan-outs. Page 1, their only one, is made, so the next is 2. Campaigns and tracker were told of none: 0.
    with made as (
      insert into fan_outs (campaign_id, app_id, send, settings, started_at, bound_id, lane, state, page, told_page, batches,
        ${queuedColumns})
      select campaign_id, app_id, send, settings, ${exactStart}::timestamptz, '', 'prompt', 'fanned_out', 2, 0, batches, ${queuedColumns}
      from unnest(
        ${sends.map(({ campaignId }) => campaignId)}::text[], ${sends.map(({ appId }) => appId)}::text[],
        ${sends.map(({ send }) => JSON.stringify(send))}::jsonb[], ${sends.map(({ settings }) => settings && JSON.stringify(settings))}::jsonb[],
        ${sends.map((send) => send.batches.length)}::int[], ${sql.join(platforms.map((platform) => sql`${sends.map(({ counts }) => counts[platform])}::int[]`))}
      ) as given(campaign_id, app_id, send, settings, batches, ${queuedColumns})
      -- All processes insert in the same order, so that two that insert the same fan-outs cannot deadlock.
      order by campaign_id
      on conflict (campaign_id) do nothing
      returning campaign_id, app_id, day, started_at, bound_id, cursor, page, ${queuedColumns}, lane, state, told_page,
        batches, told_batches, lease_until, due_at, pointer_no, settled_at, failures, last_failure, flow, flow_no, wave
    -- Their batches, numbered within the app's lane of the platform.
    ), fresh as (
      select given.*, made.app_id, made.day, row_number() over (partition by made.app_id, given.platform order by given.place) as turn
      from unnest(
        ${batches.map(({ id }) => id)}::text[], ${batches.map(({ campaignId }) => campaignId)}::text[],
        ${batches.map(({ platform }) => platform)}::text[], ${batches.map(({ subscriptionIds }) => listOf(subscriptionIds))}::text[],
        ${batches.map(({ userIds }) => listOf(userIds))}::text[], ${batches.map(({ no }) => no)}::int[],
        ${batches.map(({ decided }) => decided && JSON.stringify(decided))}::jsonb[], ${batches.map(({ hasTaker }) => hasTaker)}::bool[]
      ) with ordinality as given(id, campaign_id, platform, subscription_ids, user_ids, no, decided, has_taker, place)
        join made on made.campaign_id = given.campaign_id
    -- How many batches more each lane takes, and whether a circuit holds it up.
    ), rooms as materialized (
      select app_id, platform, ${roomOnLane(sql`lanes.app_id`, sql`lanes.platform`)} as room,
        exists (select from circuits c where c.app_id = lanes.app_id and c.platform = lanes.platform and c.state = 'open' offset 0) as is_held
      from (select distinct app_id, platform from fresh) as lanes
    -- The batches are queued, and those with a taker are leased.
    ), queued as (
      insert into batches (id, app_id, campaign_id, platform, lane, day, batch_no, subscription_ids, user_ids, decided, takes, lease_until, due_at)
      select id, app_id, campaign_id, platform, 'prompt', day, no, subscription_ids::text[], user_ids::text[], decided,
        is_taken::int, case when is_taken then ${takenLease} end,
        case when is_taken then ${takenLease} when turn <= room then ${soon} else now() end
      from fresh join rooms using (app_id, platform) cross join lateral (select has_taker and turn <= room and not is_held as is_taken) as it
      returning id, campaign_id, takes = 1 as taken, due_at > now() as pointed_at
    )
    select made.*, now() as "madeAt",
      (select array_agg(queued.id) from queued where queued.campaign_id = made.campaign_id and queued.taken) as taken,
      (select array_agg(queued.id) from queued where queued.campaign_id = made.campaign_id and queued.pointed_at and not queued.taken) as "pointedAt"
    from made`.execute(db)
  const frozen = new Map(sends.map((send) => [send.campaignId, send]))
  return new Map(
    rows.map(({ taken, pointedAt, madeAt, ...row }) => {
      const { send = null, settings = null } = frozen.get(row.campaign_id) ?? {}
      const whole = toFanOut({ ...row, send, settings, target: null, waves: null, past_waves: null, failure: null })
      return [whole.campaignId, { row: whole, taken: new Set(taken), pointedAt: new Set(pointedAt), madeAt }]
    }),
  )
}
