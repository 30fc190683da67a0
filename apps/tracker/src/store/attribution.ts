import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import { readEnds, slotAt, type Slots } from '../core/slots.ts'
import type { SeenPush } from '../core/attribution.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

export type Pair = { userId: string; subscriptionId: string }

/** Of each device's pushes in batches of at most 16, the newest this many are looked at. */
const mostSingles = 50
/** At most this many pairs of a device and a large campaign are looked up for one call, at ~2 µs each, and at least the newest 10 campaigns. */
const mostProbes = 100_000
const mostCampaigns = 200

/** A push, with the index of its pair. */
export type PushOfPair = SeenPush & { pair: number }
/** A campaign that has batches of more than 16 pushes. `endedAt`: when its last push got an outcome, in Unix milliseconds; null while one is open. */
export type LargeCampaign = { campaignId: string; day: string; isTouched: boolean; endedAt: number | null }

const usersOf = (pairs: readonly Pair[]) => pairs.map(({ userId }) => idBytes(userId))
const devicesOf = (pairs: readonly Pair[]) => pairs.map(({ subscriptionId }) => idBytes(subscriptionId))
/** What devices report when their user opens or clicks a push. */
const touches = sql.raw(`'o', 'c'`)

/**
 * Finds the newest pushes of these users to these devices in batches of at most 16, of campaigns that began on `since` or later, with when each was
 * opened or clicked. An index by device leads to them.
 */
export async function findSmallPushes(
  db: Db,
  { appId, pairs, since }: { appId: string; pairs: Pair[]; since: string },
): Promise<PushOfPair[]> {
  const { rows } = await sql<
    Slots & { pair: number; campaignId: string; day: string; platform: Platform; touched: Date[] | null; variant: string | null }
  >`
    select pair.place::int - 1 as pair, encode(l.campaign_id, 'hex') as "campaignId", l.day, l.platform,
      l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped, report.touched, report.variant
    from unnest(${devicesOf(pairs)}::bytea[], ${usersOf(pairs)}::bytea[]) with ordinality as pair(device, user_id, place)
    cross join lateral (
      select * from ledger_batches l
      where l.day >= ${since}::date and l.first_id is null and l.devices = pair.device and l.app_id = ${idBytes(appId)}
      order by l.campaign_id desc limit ${sql.lit(mostSingles)}
    ) l
    left join lateral (
      select array_agg(at) as touched, min(variant) as variant from engagements
      where engagements.day = l.day and engagements.day >= ${since}::date
        and engagements.campaign_id = l.campaign_id and engagements.subscription_id = pair.device and kind in (${touches})
    ) report on true
    where l.users = pair.user_id`.execute(db)
  return rows.map(({ pair, campaignId, day, platform, touched, variant, ...row }) => {
    const end = readEnds(row)[slotAt(row, 0) - 1]
    return {
      ...{ pair, campaignId, day, platform, subscriptionId: pairs[pair]?.subscriptionId ?? '', silent: false },
      variant: variant ?? end?.variant ?? '',
      touchedAt: (touched ?? []).map((at) => at.getTime()),
      sentAt: end?.outcome === 'sent' ? end.at : null,
    }
  })
}

/** Finds an app's newest large campaigns that began on `since` or later and are no tests: at most 200, and fewer for many devices. */
export async function findLargeCampaigns(
  db: Db,
  { appId, since, pairs }: { appId: string; since: string; pairs: number },
): Promise<LargeCampaign[]> {
  const most = Math.min(mostCampaigns, Math.max(10, Math.floor(mostProbes / Math.max(1, pairs))))
  const { rows } = await sql<Omit<LargeCampaign, 'endedAt'> & { settledAt: Date | null }>`
    select campaign_id as "campaignId", day, opened + clicked > 0 as "isTouched", settled_at as "settledAt"
    from counters
    where has_ranges and app_id >= ${appId} and (app_id, campaign_id) < (${appId}, 'g') and day >= ${since}::date and not test
    order by app_id desc, campaign_id desc limit ${most}`.execute(db)
  return rows.map(({ settledAt, ...campaign }) => ({ ...campaign, endedAt: settledAt?.getTime() ?? null }))
}

export type Touch = { pair: number; campaignId: string; day: string; at: number; variant: string }

/** Finds what these devices reported about these campaigns: when a push was opened or clicked. */
export async function findTouches(db: Db, pairs: Pair[], campaigns: LargeCampaign[]): Promise<Touch[]> {
  if (campaigns.length === 0) return []
  const days = campaigns.map(({ day }) => day)
  const { rows } = await sql<Omit<Touch, 'at'> & { at: Date }>`
    select pair.place::int - 1 as pair, encode(c.id, 'hex') as "campaignId", c.day, e.at, e.variant
    from unnest(${devicesOf(pairs)}::bytea[]) with ordinality as pair(device, place)
    cross join unnest(${days}::date[], ${campaigns.map(({ campaignId }) => idBytes(campaignId))}::bytea[]) as c(day, id)
    cross join lateral (
      select at, variant from engagements
      where engagements.day = c.day and engagements.day = any(${[...new Set(days)]}::date[])
        and engagements.campaign_id = c.id and engagements.subscription_id = pair.device and kind in (${touches})
      limit 2
    ) e`.execute(db)
  return rows.map(({ at, ...touch }) => ({ ...touch, at: at.getTime() }))
}

export type AskedPush = { pair: number; campaignId: string; day: string }

/** Finds pushes of campaigns to these devices in batches of more than 16, and leaves out those to another owner of the device. */
export async function findLargePushes(db: Db, pairs: Pair[], asked: AskedPush[]): Promise<PushOfPair[]> {
  if (asked.length === 0) return []
  const days = asked.map(({ day }) => day)
  const of = asked.map(({ pair }) => pairs[pair] ?? { userId: '', subscriptionId: '' })
  const { rows } = await sql<Slots & { place: number; asked: number; index: number; platform: Platform }>`
    select asked.place::int - 1 as asked, (found.at - 1) / 12 as index, l.platform,
      l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped
    from unnest(${days}::date[], ${asked.map(({ campaignId }) => idBytes(campaignId))}::bytea[], ${devicesOf(of)}::bytea[], ${usersOf(of)}::bytea[])
      with ordinality as asked(day, campaign_id, device, user_id, place)
    cross join lateral (
      select * from ledger_batches l
      where l.day = asked.day and l.day = any(${[...new Set(days)]}::date[]) and l.campaign_id = asked.campaign_id
        and l.first_id is not null and l.last_id >= asked.device and l.first_id <= asked.device
      offset 0
    ) l
    cross join lateral (select position(asked.device in l.devices) as at offset 0) found
    where found.at > 0 and (found.at - 1) % 12 = 0 and substring(l.users from found.at for 12) = asked.user_id`.execute(db)
  return rows.flatMap(({ asked: which, index, platform, ...row }) => {
    const push = asked[which]
    if (!push) return []
    const end = readEnds(row)[slotAt(row, index) - 1]
    return [
      {
        ...push,
        ...{ platform, subscriptionId: pairs[push.pair]?.subscriptionId ?? '', variant: end?.variant ?? '', silent: false },
        touchedAt: [],
        sentAt: end?.outcome === 'sent' ? end.at : null,
      },
    ]
  })
}
