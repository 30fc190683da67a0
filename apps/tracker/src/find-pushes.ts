import { inListOrder, type PushPlace } from './core/page-cursor.ts'
import type { TimedEnd } from './core/slots.ts'
import { wantedPushes, type PushOfRow } from './core/wanted-pushes.ts'
import { idBytes } from './store/ledger.ts'
import {
  findCampaignsToRead,
  findNames,
  findRowsOfCampaigns,
  findSingles,
  type CampaignToRead,
  type FoundRow,
  type PushFilter,
} from './store/pushes.ts'
import type { Db } from './store/tables.ts'

export type FoundPush = PushPlace & { end: TimedEnd; row: FoundRow; subscriptionId: string; userId: string }
/** `examinedTo`: where the next page begins; undefined when there is no next page. */
export type PushPage = { page: FoundPush[]; examinedTo: PushPlace | undefined }

type Page = { page: PushOfRow<FoundRow>[]; examinedTo: PushPlace | undefined }

/**
 * To fill one page, a search examines at most this many campaigns, at ~2 µs each, and this many rows of the ledger, at ~3 µs each (~10 µs when a user
 * is searched for).
 */
const mostCampaigns = 10_000
const mostRows = 2_000
/**
 * With a filter by time, a page examines at most this many of a device's or user's pushes in batches of at most 16 (an index finds these), or `limit`
 * + 1 when that is more.
 */
const singlesInTime = 201
const campaignsAtOnce = 1_000
/** One statement reads the rows of at most this many campaigns, each found by the ledger's key. */
const probesAtOnce = 500
/** When a page has taken this long, it ends and does not read a further portion of campaigns. */
const portionsWithinMs = 1_000

/**
 * Gives a page of an app's pushes with an outcome, newest campaign and its last batch first. When a page reaches its limit of campaigns, rows or time
 * (about 1 s), it holds fewer, and another page follows.
 */
export async function findPushes(db: Db, filter: PushFilter): Promise<PushPage> {
  const isOfOne = filter.subscriptionId !== undefined || filter.userId !== undefined
  const { page, examinedTo } = isOfOne ? await findOfOne(db, filter) : await walk(db, filter, { rangesOnly: false })
  const names = await findNames(
    db,
    page.map(({ campaignId, no, place, row }) => ({ campaignId, no, place, day: row.day, rowPlace: row.place })),
  )
  return { page: page.flatMap((push, index) => (names[index] ? [{ ...push, ...names[index] }] : [])), examinedTo }
}

/**
 * Finds the pushes of one device or user: in batches of at most 16 by an index, in larger ones by the campaigns that have them. The page ends where
 * the first of both stopped, to stay in order.
 */
async function findOfOne(db: Db, filter: PushFilter): Promise<Page> {
  const { limit } = filter
  // The index does not say when a push ended, so with a filter by time more rows must be read than the page holds.
  const isTimed = filter.from !== undefined || filter.to !== undefined
  const most = isTimed ? Math.max(limit + 1, singlesInTime) : limit + 1
  const rows = await findSingles(db, filter, most)
  const singles = rows.flatMap((row) => wantedPushes(row, wantedOf(filter), 1))
  const ranges = await walk(db, filter, { rangesOnly: true })
  const [examinedTo] = [ranges.examinedTo, rows.length === most ? placeOf(rows.at(-1)) : undefined]
    .filter((place) => place !== undefined)
    .toSorted(inListOrder)
  const all = [...singles, ...ranges.page].filter((push) => !examinedTo || inListOrder(push, examinedTo) <= 0).toSorted(inListOrder)
  const page = all.slice(0, limit)
  return { page, examinedTo: all.length > limit ? placeOf(page.at(-1)) : examinedTo }
}

const wantedOf = ({ outcome, code, from, to, after, subscriptionId, userId }: PushFilter) => ({
  outcome,
  code,
  from: from === undefined ? undefined : Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
  after,
  device: subscriptionId === undefined ? undefined : idBytes(subscriptionId),
  user: userId === undefined ? undefined : idBytes(userId),
})

/**
 * Goes through the app's campaigns by their index, and through the rows of each campaign by the ledger's key. Skips campaigns whose counters, and
 * rows whose sums, say that they hold no wanted push.
 */
async function walk(db: Db, filter: PushFilter, { rangesOnly }: { rangesOnly: boolean }): Promise<Page> {
  const { limit } = filter
  const until = performance.now() + portionsWithinMs
  const page: PushOfRow<FoundRow>[] = []
  let { after } = filter
  let campaignsLeft = mostCampaigns
  let rowsLeft = mostRows
  const pushesAtOnce = pushesTogether(filter)
  for (;;) {
    const asked = Math.min(campaignsAtOnce, campaignsLeft)
    const campaigns = await findCampaignsToRead(db, { ...filter, after }, { limit: asked, rangesOnly })
    campaignsLeft -= asked
    for (const portion of portionsOf(campaigns, pushesAtOnce)) {
      const rest = { ...filter, after, limit: limit - page.length }
      const { found, examined, examinedTo } = await findRowsOfCampaigns(db, portion, rest, { most: rowsLeft, rangesOnly })
      for (const row of found) page.push(...wantedPushes(row, wantedOf({ ...filter, after }), limit + 1 - page.length))
      if (page.length > limit) return { page: page.slice(0, limit), examinedTo: placeOf(page[limit - 1]) }
      // The statement stopped at its limit of rows that may hold wanted pushes, and those rows held too few. The next page begins after the last of
      // these rows.
      if (found.length > rest.limit) return { page, examinedTo: placeOf(found.at(-1)) }
      rowsLeft -= examined
      // When this portion used up the rows that a page may examine, the next page begins after the last examined row. Else it begins after the
      // portion.
      after = rowsLeft > 0 ? endOf(portion.at(-1)) : examinedTo
      if (rowsLeft <= 0 || performance.now() > until) return { page, examinedTo: after }
    }
    if (campaigns.length < asked) return { page, examinedTo: undefined }
    after = endOf(campaigns.at(-1))
    if (campaignsLeft === 0 || performance.now() > until) return { page, examinedTo: after }
  }
}

/** Gives the place after a campaign's last push. Pages go from the highest place down, and batches are numbered from 1. */
const endOf = (campaign: CampaignToRead | undefined): PushPlace | undefined =>
  campaign && { campaignId: campaign.campaignId, no: 0, place: 0 }

const placeOf = (push: PushPlace | undefined): PushPlace | undefined =>
  push && { campaignId: push.campaignId, no: push.no, place: push.place }

/**
 * Gives about how many pushes a portion's campaigns have in all: as many as the page needs, or more when the filter names a user or a code. A device
 * has no limit: a campaign then costs one look-up.
 */
function pushesTogether({ subscriptionId, userId, code, limit }: PushFilter): number {
  if (subscriptionId !== undefined) return Infinity
  return userId === undefined && code === undefined ? limit + 1 : 100 * mostRows
}

/** Splits campaigns into portions. A portion ends with the campaign with which it has `pushes` pushes, or after 500 campaigns. Campaigns with none are left out. */
function portionsOf(campaigns: CampaignToRead[], pushes: number): CampaignToRead[][] {
  const portions: CampaignToRead[][] = []
  let sum = Infinity
  for (const campaign of campaigns) {
    if (campaign.pushes === 0) continue
    if (sum >= pushes || (portions.at(-1)?.length ?? 0) >= probesAtOnce) {
      portions.push([])
      sum = 0
    }
    portions.at(-1)?.push(campaign)
    sum += campaign.pushes
  }
  return portions
}
