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
/** `examinedTo`: where to go on; undefined at the end. */
export type PushPage = { page: FoundPush[]; examinedTo: PushPlace | undefined }

type Page = { page: PushOfRow<FoundRow>[]; examinedTo: PushPlace | undefined }

/** What one page looks at, at most: campaigns at ~2 µs, rows of up to 500 pushes at ~3 µs, or ~10 µs where a user is looked for. */
const mostCampaigns = 10_000
const mostRows = 2_000
/** Single pushes of a device or a user that a page looks at, at most, where a time is asked for. */
const singlesInTime = 201
/** Campaigns that are looked at together. */
const campaignsAtOnce = 1_000
/** Campaigns whose rows are read together, each a probe of a key. */
const probesAtOnce = 500
/** No next portion is begun after this. */
const portionsWithinMs = 1_000

/**
 * A page of an app's pushes: newest campaign first, in it the last batch first. A page ends when it is full or when it has looked at as much as
 * a page may: then it holds fewer than asked for, or none, and still has one after it. So it costs the same whatever the app's history holds.
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
 * Of one device or user: single pushes by their index, and those of large batches from a walk through the campaigns that have such. What the walk
 * has not looked at yet is left to the next page, also of the single ones, so that the order holds.
 */
async function findOfOne(db: Db, filter: PushFilter): Promise<Page> {
  const { limit } = filter
  // When a push ended its row alone says, so more of them are looked at where a time is asked for.
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
 * Walks the app's campaigns by their index, and in each its rows by the ledger's key. Counters say how many pushes of a kind a campaign has, so
 * that one without any is not looked into, and sums say it of a row.
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
      // More rows may be wanted than were answered, and hold nothing that is: the next page goes on after the last of them.
      if (found.length > rest.limit) return { page, examinedTo: placeOf(found.at(-1)) }
      rowsLeft -= examined
      // Where not all rows of the portion were read, the page has looked at as many as it may.
      after = rowsLeft > 0 ? endOf(portion.at(-1)) : examinedTo
      if (rowsLeft <= 0 || performance.now() > until) return { page, examinedTo: after }
    }
    if (campaigns.length < asked) return { page, examinedTo: undefined }
    after = endOf(campaigns.at(-1))
    if (campaignsLeft === 0 || performance.now() > until) return { page, examinedTo: after }
  }
}

/** Pages go from the highest place down, so nothing of a campaign comes after this one. */
const endOf = (campaign: CampaignToRead | undefined): PushPlace | undefined =>
  campaign && { campaignId: campaign.campaignId, no: 0, place: 0 }

const placeOf = (push: PushPlace | undefined): PushPlace | undefined =>
  push && { campaignId: push.campaignId, no: push.no, place: push.place }

/** From how many pushes rows are read together: as many as the page takes where each is wanted, and a probe a campaign where a device is. */
function pushesTogether({ subscriptionId, userId, code, limit }: PushFilter): number {
  if (subscriptionId !== undefined) return Infinity
  return userId === undefined && code === undefined ? limit + 1 : 100 * mostRows
}

/** Campaigns that have pushes to look at, as many together as `pushes` may come from. */
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
