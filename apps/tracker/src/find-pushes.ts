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
/** `examinedTo`: where the next page begins; undefined at the end. */
export type PushPage = { page: FoundPush[]; examinedTo: PushPlace | undefined }

type Page = { page: PushOfRow<FoundRow>[]; examinedTo: PushPlace | undefined }

/** One page looks at this much at most: campaigns at ~2 µs, rows of up to 500 pushes at ~3 µs, or ~10 µs when it looks for a user. */
const mostCampaigns = 10_000
const mostRows = 2_000
/** When the filter has a time, one page looks at this many single pushes of a device or a user at most. */
const singlesInTime = 201
/** Campaigns that one statement looks at. */
const campaignsAtOnce = 1_000
/** Campaigns whose rows one statement reads, each by a probe of the key. */
const probesAtOnce = 500
/** After this no further portion is begun. */
const portionsWithinMs = 1_000

/**
 * Gives a page of an app's pushes: newest campaign first, and in a campaign the last batch first. A page ends when it is full or when it has looked at as
 * much as a page may. Then it holds fewer pushes than asked for, or none, and another page follows. So a page costs the same however long the app's
 * history is.
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
 * Finds the pushes of one device or user: single pushes by an index, and pushes in large batches by a walk through the campaigns that have such
 * batches. The page ends where the walk stopped, for the single pushes too, so that the order holds.
 */
async function findOfOne(db: Db, filter: PushFilter): Promise<Page> {
  const { limit } = filter
  // Only the row itself says when its push ended, so a filter with a time needs a look at more rows.
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
 * Walks through the app's campaigns by their index, and through the rows of each by the ledger's key. A campaign whose counters say that it has no such
 * push is passed over, and so is a row by its sums.
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
      // Rows that may hold wanted pushes turned out to hold none, and there may be more such rows: the next page begins after the last of these.
      if (found.length > rest.limit) return { page, examinedTo: placeOf(found.at(-1)) }
      rowsLeft -= examined
      // When rows of the portion are left, the page has looked at as many as it may.
      after = rowsLeft > 0 ? endOf(portion.at(-1)) : examinedTo
      if (rowsLeft <= 0 || performance.now() > until) return { page, examinedTo: after }
    }
    if (campaigns.length < asked) return { page, examinedTo: undefined }
    after = endOf(campaigns.at(-1))
    if (campaignsLeft === 0 || performance.now() > until) return { page, examinedTo: after }
  }
}

/** Pages go from the highest place down, so this is the place after the last push of a campaign. */
const endOf = (campaign: CampaignToRead | undefined): PushPlace | undefined =>
  campaign && { campaignId: campaign.campaignId, no: 0, place: 0 }

const placeOf = (push: PushPlace | undefined): PushPlace | undefined =>
  push && { campaignId: push.campaignId, no: push.no, place: push.place }

/**
 * Says from how many pushes rows are read by one statement: about as many as the page takes when every push may fit, more when only few fit, and without a
 * limit for a device, which costs one probe a campaign.
 */
function pushesTogether({ subscriptionId, userId, code, limit }: PushFilter): number {
  if (subscriptionId !== undefined) return Infinity
  return userId === undefined && code === undefined ? limit + 1 : 100 * mostRows
}

/** Splits campaigns that may have wanted pushes into portions of about `pushes` pushes each. */
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
