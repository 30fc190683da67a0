import type { FrequencyCap } from '@herald/contracts/administration'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenCategory } from '@herald/contracts/category'
import { localesOf } from '@herald/contracts/content'
import { holdoutText, type Holdout } from '@herald/contracts/holdout'
import { skipReasons, type SkipReason } from '@herald/contracts/outcome'
import { platforms, type Platform } from '@herald/contracts/platform'
import { sql, type RawBuilder } from 'kysely'
import type { Described, Group, InBlock } from '../core/dry-run.ts'
import { hasClaimed, usedAt } from './claims.ts'
import { digestOf, fraction, inSample, variantAt } from './experiment-sql.ts'
import { devicesNamed, outsideOf, type Selection } from './pages.ts'
import { devicesMeant, inPresentCode, reachable } from '../../segments/store/segment-sql.ts'
import type { Db } from '../../store/tables.ts'
import { userKeyOf, userKeyColumn } from '../../people/store/users.ts'

type Sql = RawBuilder<unknown>

/** A time zone of users (`''` for users without one), its wave, the instant of that wave, and whether quiet hours skip its users at that instant. */
export type PlannedZone = { zone: string; wave: number; at: Date; quiet: boolean }

/** What a dry run counts: the send, its target, its waves, and how to count. */
export type DryRunScan = {
  appId: string
  send: FrozenSend
  selection: Selection
  /** The instant at which the send begins. Relative dates in a segment count from it. */
  startedAt: Date
  /** Empty when time zones make no difference to the send. */
  zones: readonly PlannedZone[]
  /** The last wave, which takes all users whom no earlier wave takes. */
  last: { wave: number; at: Date }
  /** The index of the wave that is skipped because its time has passed; -1 for none. */
  expiredWave: number
  cap: FrequencyCap | null
  holdout: Holdout | null
  /** The category that the send obeys; null for none. */
  category: FrozenCategory | null
  /** Sample devices are chosen by a hash with this text: the same seed chooses the same devices. */
  seed: string
  /** Which fraction of the table's blocks is read; 1 for all blocks. */
  fraction: number
}

export type Scanned = { groups: Group[]; blocks: InBlock[][]; picks: string[] }

/** The users are divided by a hash into this many parts. The scan picks at most one sample device from each part. */
const buckets = 64

/** Makes a column for each platform, which has the platform's name. */
const columnsOf = (make: (platform: Platform) => Sql): Sql =>
  sql.join(platforms.map((platform) => sql`${make(platform)} as ${sql.ref(platform)}`))
const platformNames = sql.raw(platforms.join(', '))

/**
 * Counts a send's devices and users in one scan, grouped by what it would do to them. In a sample of blocks each device counts alone. `picks`: sample
 * devices in the seed's order, at most one for each bucket.
 */
export async function scanAudience(db: Db, scan: DryRunScan): Promise<Scanned> {
  const isSample = scan.fraction < 1
  const { rows } = await sql<ScanRow>`
    with ${given(scan)}, meant as (${meantBy(scan)}), counted as (
      ${isSample ? devicesAlone(scan.appId) : devicesByUser(scan)}
    ), placed as (
      ${placedBy(scan, 'some')}
    ), alike as (
      select kind, language, block, ${columnsOf((platform) => sql`sum(${sql.ref(platform)})`)},
        sum(opted_out) as opted_out, sum(invalidated) as invalidated, sum(unseen) as unseen, sum(users) as users, min(pick) as pick
      from placed group by kind, language, block
    ), unpacked as (
      ${unpackedFrom(scan)}
    ), located as (
      -- The locale is looked up for each language and not for each user: a few times instead of a million times.
      select unpacked.*, spoken.locale, unpacked.language is not null as speaks
      from unpacked left join lateral (
        select l.locale from locales l
        where l.variant = unpacked.variant and starts_with(${inPresentCode(sql`unpacked.language`)} || '-', ${inPresentCode(sql`l.locale`)} || '-')
        order by length(l.locale) desc limit 1
      ) as spoken on true
    )
    select case when grouping(wave) = 0 then 'group' when grouping(bucket) = 0 then 'bucket' else 'block' end as kind,
      wave, skip, variant, locale, speaks, ${isSample ? sql`block` : sql`0 as block`},
      ${columnsOf((platform) => sql`sum(${sql.ref(platform)})::float8`)},
      sum(opted_out)::float8 as "optedOut", sum(invalidated)::float8 as invalidated, sum(unseen)::float8 as unseen, sum(users)::float8 as users,
      min(pick) as pick
    from located
    group by grouping sets ((wave, skip, variant, locale, speaks), (bucket) ${isSample ? sql`, (block, skip, variant)` : sql``})`.execute(
    db,
  )
  return sortOut(rows)
}

type ScanRow = Group & { kind: 'group' | 'bucket' | 'block'; block: number; pick: string | null }

function sortOut(rows: ScanRow[]): Scanned {
  const inBlocks = rows.filter(({ kind }) => kind === 'block')
  return {
    groups: rows.filter(({ kind }) => kind === 'group'),
    blocks: [...Map.groupBy(inBlocks, ({ block }) => block).values()],
    picks: rows
      .flatMap(({ kind, pick }) => (kind === 'bucket' && pick !== null ? [pick] : []))
      .toSorted()
      .map((pick) => pick.slice(16)),
  }
}

/** Gives the tables that the scan is joined with: the planned zones, the locales of the texts, and the users who have used up the cap. */
function given(scan: DryRunScan): Sql {
  const { zones, send } = scan
  const locales = localesOfSend(send)
  const planned = sql`zones(zone, wave, at, quiet) as materialized (
      select * from unnest(
        ${zones.map(({ zone }) => zone)}::text[], ${zones.map(({ wave }) => wave)}::int[],
        ${zones.map(({ at }) => at.toISOString())}::timestamptz[], ${zones.map(({ quiet }) => quiet)}::boolean[]
      ))`
  const spoken = sql`locales(variant, locale) as materialized (
      select * from unnest(${locales.map(({ variant }) => variant)}::text[], ${locales.map(({ locale }) => locale)}::text[]))`
  return scan.cap ? sql`${planned}, ${spoken}, over_cap as (${overCap(scan, scan.cap)})` : sql`${planned}, ${spoken}`
}

/** Lists the locales of a send's texts, by variant. */
export const localesOfSend = ({ content, experiment, silent }: FrozenSend): { variant: string; locale: string }[] => {
  if (silent) return []
  const contents = experiment ? experiment.variants.map(({ id, content: ofVariant }) => [id, ofVariant] as const) : [['', content] as const]
  return contents.flatMap(([variant, texts]) => (texts === null ? [] : localesOf(texts).map(([locale]) => ({ variant, locale }))))
}

/** Selects the users whom the cap would skip at the instant of their wave, by the conditions of `claimCap`. */
function overCap({ appId, send, selection, zones, last }: DryRunScan, cap: FrequencyCap): Sql {
  const at = zones.length > 0 ? sql`coalesce(z.at, ${last.at.toISOString()}::timestamptz)` : sql`${last.at.toISOString()}::timestamptz`
  const ofZones = sql`join users u on u.id = c.user_id left join zones z on z.zone = coalesce(u.timezone, '')`
  const ofNamed =
    selection.kind === 'all' || selection.kind === 'segment'
      ? sql``
      : sql`and c.user_id in (select s.user_id from subscriptions s where ${devicesNamed(appId, selection)})`
  return sql`
    select c.user_id from cap_claims c ${zones.length > 0 ? ofZones : sql``}
    where c.app_id = ${appId} ${ofNamed}
    group by c.user_id having not ${hasClaimed(send.campaignId)} and ${usedAt(at, cap)} >= ${cap.max}`
}

/** The number of a device's state: 0 reachable, 1 opted out, 2 invalidated. A device that is both opted out and invalidated counts as invalidated. */
const reach = sql`case when ${reachable} then 0 when s.invalidated_at is not null then 2 else 1 end`

/** Selects the devices that the target means, reachable or not. `only`: just those of them that have one of these ids. */
function meantBy({ appId, selection, startedAt, fraction, seed, category }: DryRunScan, only?: string[]): Sql {
  const isList = selection.kind !== 'all' && selection.kind !== 'segment'
  const blocks = sql`tablesample system (${100 * fraction}) repeatable (hashtext(${seed}))`
  // When the target is a list, or only single devices are wanted, `app_id || ''` keeps the planner from reading all devices of the app by the app's
  // index. The query for a page of a send does the same.
  const ofApp = isList || only ? sql`s.app_id || '' = ${appId}` : sql`s.app_id = ${appId}`
  const devices = devicesMeant(selection.kind === 'segment' ? selection.segment : { is: 'everyone' }, startedAt, {
    columns: sql`s.id, s.user_id, s.platform, ${reach} as reach, u.timezone as zone, u.language as language, s.last_session_at is null as unseen,
      ${category ? outsideOf(category, sql`u.preferences`) : sql`false`} as outside,
      ${fraction < 1 ? sql`(s.ctid::text::point)[0]::bigint` : sql`0`} as block`,
    from: sql`subscriptions s ${fraction < 1 && !only ? blocks : sql``} join users u on u.id = s.user_id`,
    where: sql`${ofApp} ${isList ? sql`and ${devicesNamed(appId, selection)}` : sql``} ${only ? sql`and s.id = any(${only}::text[])` : sql``}`,
  })
  return sql`select f.id, f.user_id, f.platform, f.reach, f.zone, f.language, f.unseen, f.outside, f.block from ${devices}`
}

const onPlatform = (platform: Platform) => sql`reach = 0 and platform = ${sql.lit(platform)}`

/** Whether a device is a browser that an import has brought and that has not come to the site since: 1 or 0. */
const unseenBrowser = sql`(platform = 'web' and unseen)::int`

/** A user has at most 100 devices, so 10 bits can hold how many of them are of one platform. */
const bitsOfCount = 10
const countAt = (packed: Sql, place: number) => sql`(${packed} >> ${sql.lit(place * bitsOfCount)})::int & ${sql.lit(2 ** bitsOfCount - 1)}`

/**
 * Groups devices by user, and by zone and language only if these matter: comparing texts costs most. Sorting first lets workers run in memory; a hash
 * table would go to disk. Packed counts need two additions instead of six.
 */
function devicesByUser({ zones, send, category }: DryRunScan): Sql {
  const hasZones = zones.length > 0
  const hasTexts = localesOfSend(send).length > 0
  const deciding = sql.join([
    sql`user_id`,
    ...(hasZones ? [sql`zone`] : []),
    ...(hasTexts ? [sql`language`] : []),
    ...(category ? [sql`outside`] : []),
  ])
  const one = (place: number) => sql.lit(2 ** (place * bitsOfCount))
  const oneOfPlatform = sql.join(
    platforms.map((platform, place) => sql`when platform = ${sql.lit(platform)} then ${one(place)}`),
    sql` `,
  )
  const [reached, lost] = [sql`reached`, sql`lost`]
  return sql`
      select user_id, ${hasZones ? sql`zone` : sql`null::text as zone`}, ${hasTexts ? sql`language` : sql`null::text as language`}, ${category ? sql`outside` : sql`false as outside`},
        ${columnsOf((platform) => countAt(reached, platforms.indexOf(platform)))},
        ${countAt(lost, 0)} as opted_out, ${countAt(lost, 1)} as invalidated, ${countAt(lost, 2)} as unseen, (reached > 0)::int as users, device, 0 as block
      from (
        select ${deciding},
          sum(case when reach > 0 then 0 ${oneOfPlatform} end) as reached,
          sum(case reach when 0 then ${unseenBrowser} * ${one(2)} when 1 then ${one(0)} else ${one(1)} end) as lost,
          -- This order by changes no result. It keeps the planner from using a hash table.
          min(id order by user_id) filter (where reach = 0) as device
        from (select ${deciding}, platform, reach, unseen, id from meant order by ${deciding}) as sorted
        group by ${deciding}
      ) as packed`
}

/** Counts each device by itself. Each of a user's n reachable devices counts as 1/n user, so that together they are one user. */
const devicesAlone = (appId: string) => sql`
      select user_id, zone, language, outside, ${columnsOf((platform) => sql`(${onPlatform(platform)})::int`)},
        (reach = 1)::int as opted_out, (reach = 2)::int as invalidated, case reach when 0 then ${unseenBrowser} else 0 end as unseen,
        case when reach = 0 then 1 / (
          select count(*) from subscriptions s where s.user_id = meant.user_id and s.app_id || '' = ${appId} and ${reachable}
        )::float8 else 0 end as users,
        case when reach = 0 then id end as device, block
      from meant`

/**
 * Says what the send would do to each row of `counted`, without users outside a winner's follow-up. Users outside the experiment's sample have no
 * variant. `pick`: a device id behind its hash; with `some` every eighth row has one.
 */
function placedBy(scan: DryRunScan, picked: 'all' | 'some' = 'all'): Sql {
  const { send, zones, last, seed, cap } = scan
  const { experiment, remainder, campaignId } = send
  const variant = experiment
    ? sql`case when ${inSample(sql`hashed.digest`, experiment.sampleRate)} then ${variantAt(sql`hashed.digest`, experiment.variants)} end`
    : sql`''::text`
  const hashed = experiment
    ? sql`cross join lateral (select ${digestOf(campaignId, sql`counted.user_id`)} as digest offset bigint '0') as hashed`
    : sql``
  const wave = zones.length > 0 ? sql`coalesce(z.wave, ${last.wave}::int)` : sql`0`
  const conditions = conditionsOf(scan, wave)
  const reasons = skipReasons.flatMap((reason) => {
    const holds = conditions[reason]
    return holds ? [sql`when ${holds} then ${sql.lit(reason)}`] : []
  })
  return sql`
      select decided.*, ${kindOf(send)} as kind,
        (case when device is not null and variant is not null and ${picked === 'some' ? sql`(place >> 6) & 7 = 0` : sql`true`}
          then lpad(to_hex(place), 16, '0') || device end) collate "C" as pick
      from (
        select ${wave} as wave, ${reasons.length > 0 ? sql`case ${sql.join(reasons, sql` `)} end` : sql`null::text`} as skip, ${variant} as variant,
          counted.language, ${platformNames}, opted_out, invalidated, unseen, users, block, device,
          hashtextextended(counted.user_id, hashtext(${seed})) as place
        from counted
          ${zones.length > 0 ? sql`left join zones z on z.zone = coalesce(counted.zone, '')` : sql``}
          ${cap ? sql`left join over_cap on over_cap.user_id = counted.user_id` : sql``}
          ${hashed}
        where ${remainder ? sql`not ${inSample(digestOf(remainder.of, sql`counted.user_id`), remainder.sampleRate)}` : sql`true`}
        -- offset keeps this a separate subquery, so that no expression is computed twice.
        offset bigint '0'
      ) as decided
      offset bigint '0'`
}

/** The conditions of the reasons for which a send can skip all pushes to a user. */
const conditionsOf = (
  { appId, holdout, category, expiredWave, zones, cap }: DryRunScan,
  wave: Sql,
): { readonly [Reason in SkipReason]?: Sql } => ({
  ...(holdout && { holdout: isHeld(appId, holdout) }),
  ...(category && { unsubscribed: sql`counted.outside` }),
  ...(expiredWave >= 0 && { expired: sql`${wave} = ${expiredWave}::int` }),
  ...(zones.length > 0 && { quiet_hours: sql`z.quiet` }),
  ...(cap && { frequency_cap: sql`over_cap.user_id is not null` }),
})

/** Whether a user is held out, by the same numbers as `isHeldOut` (contracts). */
const isHeld = (appId: string, holdout: Holdout): Sql =>
  sql`${fraction(sql`sha256(convert_to(${holdoutText(appId, holdout)}::text || counted.user_id, 'UTF8'))`, 1)} < ${holdout.percent / 100}::float8`

/** The ids of the variants that a user can get. Without an experiment the only one is ''. */
const variantsOf = ({ experiment }: FrozenSend): string[] => (experiment ? experiment.variants.map(({ id }) => id) : [''])

/**
 * Packs wave, skip reason, variant and bucket into one number. For one column the planner uses a hash table; for four it expects as many groups as
 * users, and sorts a million rows on disk.
 */
const kindOf = (send: FrozenSend): Sql =>
  sql`((wave * ${sql.lit(skipReasons.length + 1)} + coalesce(array_position(${[...skipReasons]}::text[], skip), 0)) * ${sql.lit(variantsOf(send).length + 1)}
    + coalesce(array_position(${variantsOf(send)}::text[], variant), 0)) * ${sql.lit(buckets)} + (place & ${sql.lit(buckets - 1)})::int`

/** Reads wave, skip reason, variant and bucket back from the number that `kindOf` makes. */
function unpackedFrom({ send }: DryRunScan): Sql {
  const variants = variantsOf(send)
  const above = sql`kind / ${sql.lit(buckets * (variants.length + 1))}`
  const reasons = sql.lit(skipReasons.length + 1)
  return sql`
      select alike.*, ${above} / ${reasons} as wave, (${[...skipReasons]}::text[])[${above} % ${reasons}] as skip,
        (${variants}::text[])[kind / ${sql.lit(buckets)} % ${sql.lit(variants.length + 1)}] as variant, kind % ${sql.lit(buckets)} as bucket
      from alike`
}

/** Picks the first devices in the order of the seed. It is used for a small audience, of which the scan may have picked too few. */
export async function pickDevices(db: Db, scan: DryRunScan, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ${given(scan)}, meant as (${meantBy(scan)}), counted as (
      select meant.*, id as device, ${columnsOf(() => sql`0`)}, 0 as opted_out, 0 as invalidated, 0 as users from meant where reach = 0
    ), placed as (
      ${placedBy(scan)}
    )
    select substr(pick, 17) as id from placed where pick is not null
    order by pick limit ${count}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Says what the send would do to single devices. An id that no device of the app has is not in the answer. */
export async function describeDevices(db: Db, scan: DryRunScan, ids: string[]): Promise<Described[]> {
  const whole = { ...scan, fraction: 1 }
  const { rows } = await sql<Described>`
    with ${given(whole)}, meant as (${meantBy(whole, ids)}), counted as (
      select meant.*, id as device, ${columnsOf(() => sql`0`)}, 0 as opted_out, 0 as invalidated, 0 as users from meant
    ), placed as (
      ${placedBy(whole)}
    )
    select s.id, s.user_id as "userId", s.platform, meant.reach, placed.skip, placed.variant
    from subscriptions s left join meant on meant.id = s.id left join placed on placed.device = s.id
    where s.id = any(${ids}::text[]) and s.app_id || '' = ${scan.appId}`.execute(db)
  return rows
}

/** Counts the ids in a target's list that belong to no device or user of the app. */
export async function countUnknown(db: Db, appId: string, selection: Selection): Promise<number> {
  const count = async (ids: string[], known: Sql): Promise<number> => {
    const { rows } = await sql<{ unknown: number }>`
      select count(*)::int as unknown from (select distinct id from unnest(${ids}::text[]) as id) as listed where not exists (${known})`.execute(
      db,
    )
    return rows[0]?.unknown ?? 0
  }
  switch (selection.kind) {
    case 'subscriptionIds':
      return count(selection.subscriptionIds, sql`select from subscriptions s where s.id = listed.id and s.app_id || '' = ${appId}`)
    case 'userIds':
      return count(selection.userIds, sql`select from users u where u.id = listed.id and u.app_id || '' = ${appId}`)
    case 'externalIds':
      return count(
        selection.externalIds.map((externalId) => userKeyOf({ appId, externalId })),
        sql`select from users where ${userKeyColumn} = listed.id`,
      )
    default:
      return 0
  }
}

/** Gives the planner's estimate of how many devices an app has. An estimate is enough to compare with `exactUpTo`; an exact count takes a second. */
export async function estimateDevices(db: Db, appId: string): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>`
    explain (format json) select from subscriptions where app_id = ${sql.lit(appId)}`.execute(db)
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}

/**
 * Gives this transaction enough memory to join a million devices with their users, and a time limit for each statement. Reads the database's time.
 */
export async function prepareForScan(db: Db): Promise<Date> {
  await sql`set local work_mem = '64MB'`.execute(db)
  await sql`set local statement_timeout = '8s'`.execute(db)
  // The planner prefers to merge all devices with all users by their indexes, in one process. For a million devices that takes 6 s, and a hash join
  // by parallel workers takes 2 s.
  await sql`set local enable_mergejoin = off`.execute(db)
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(Number.NaN)
}
