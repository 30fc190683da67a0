import { notFound, tooManyReads } from '@herald/contracts/fault'
import { isObjectId } from '@herald/contracts/ids'
import { readCursor, writeCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import type { AddressSearch, MaskedUser, UserSummary } from '@herald/contracts/person'
import { platforms } from '@herald/contracts/platform'
import type { Segment } from '@herald/contracts/segment'
import type { UserAddress } from '@herald/contracts/user'
import { canonicalToken, hashAddress } from './core/device.ts'
import { compileSaved } from '../segments/count-segment.ts'
import type { LastNotified } from '../last-notified.ts'
import { databaseNow } from '../segments/store/counts.ts'
import { findDevicesOf } from './store/subscription-reads.ts'
import { findByEitherId, findByPrefix, findMeant, findNewestUsers, findOwner, findSummaries, maskDevice } from './store/user-reads.ts'
import { getSegment } from '../segments/store/segments.ts'
import type { Db } from '../store/tables.ts'
import { findChoices, getUserAlone } from './store/users.ts'

/** Gives a user with their devices, whose addresses are masked (spec: administration/masked-addresses). Fault: `not_found`. */
export async function readMaskedUser(db: Db, { appId, user }: { appId: string; user: UserAddress }): Promise<MaskedUser> {
  const alone = await getUserAlone(db, appId, user)
  const devices = await findDevicesOf(db, [alone.id])
  const choices = await findChoices(db, [alone.id])
  return { ...alone, subscriptions: devices.map(maskDevice), preferences: choices.get(alone.id) ?? {} }
}

/** Gives the user whose device has this token or endpoint. Fault: `not_found`. */
export async function findUserByAddress(db: Db, { appId, address }: { appId: string; address: AddressSearch }): Promise<MaskedUser> {
  const { token, endpoint = '' } = address
  // The search does not say the platform of a token, so the token is searched for as each platform's tokens are stored.
  const hashes =
    token === undefined
      ? [hashAddress(appId, 'endpoint', endpoint)]
      : platforms.map((platform) => hashAddress(appId, 'token', canonicalToken(platform, token)))
  const owner = await findOwner(db, hashes)
  if (!owner) throw notFound()
  return readMaskedUser(db, { appId, user: owner })
}

/**
 * For a page of the users in a segment, audience checks at most this many users, `portionOfSegment` with each query. To check a user takes about
 * 10 µs.
 */
const mostOfSegment = 10_000
const portionOfSegment = 1_000
/** When at most this many external ids begin with `q`, all their users are found and sorted, which takes about 5 ms. */
const mostOfPrefix = 5_000
/**
 * When more than `mostOfPrefix` external ids begin with `q`, a page searches the next users, newest first, and at most this many, which takes about
 * 50 ms. Because so many users match, the page is usually full.
 */
const mostLookedThrough = 50_000

type Sources = { db: Db; lastNotified: LastNotified }
type Asked = ListRequest & { appId: string; segmentId?: string | undefined; segment?: unknown }

/**
 * Gives a page of an app's users, newest first (spec: administration/users). `q`: a user's or device's id, or the beginning of an external id.
 * Faults: `not_found` (the segment), `invalid_segment`, `invalid_body` at `cursor`, `rate_limited` (`readSegment`).
 */
export async function listUsers({ db, lastNotified }: Sources, asked: Asked): Promise<Listed<UserSummary>> {
  const { appId, segmentId, limit } = asked
  const segment =
    segmentId !== undefined
      ? await readSegment({ db, lastNotified }, { appId, segmentId })
      : asked.segment === undefined
        ? undefined
        : compileSaved(asked.segment)
  const before = asked.cursor === undefined ? undefined : readCursor(asked.cursor).id
  const candidates = await findCandidates(db, asked, { before, wanted: segment ? mostOfSegment : limit + 1 })
  const ids = segment ? await keepMeant(db, segment, candidates.ids, limit + 1) : candidates.ids
  const page = ids.slice(0, limit)
  const next = ids.length > limit ? page.at(-1) : candidates.examinedTo
  return { items: await findSummaries(db, page), nextCursor: next === undefined ? null : writeCursor({ id: next, createdAt: new Date(0) }) }
}

/**
 * Gives at least the first `wanted` of these users who have a reachable device in a segment, or all if there are fewer. It reads in portions: for a
 * common segment the first is enough.
 */
async function keepMeant(db: Db, segment: Segment, ids: string[], wanted: number): Promise<string[]> {
  const now = await databaseNow(db)
  const kept: string[] = []
  for (let from = 0; from < ids.length && kept.length < wanted; from += portionOfSegment) {
    const portion = ids.slice(from, from + portionOfSegment)
    const meant = await findMeant(db, segment, portion, now)
    kept.push(...portion.filter((id) => meant.has(id)))
  }
  return kept
}

type Candidates = { ids: string[]; examinedTo: string | undefined }

/** Finds at most `wanted` users who match `q`, newest first. `examinedTo`: the user after whom the next page begins; undefined on the last page. */
async function findCandidates(
  db: Db,
  { appId, q = '' }: Asked,
  { before, wanted }: { before: string | undefined; wanted: number },
): Promise<Candidates> {
  const place = before === undefined ? {} : { before }
  if (q === '') return findNewestUsers(db, { appId, ...place, most: wanted, limit: wanted })
  const found = isObjectId(q) ? await findByEitherId(db, appId, q) : []
  const named = found.length > 0 ? found : await findByPrefix(db, { appId, prefix: q, limit: mostOfPrefix + 1 })
  if (named.length > mostOfPrefix) return findNewestUsers(db, { appId, ...place, prefix: q, most: mostLookedThrough, limit: wanted })
  const ids = named.filter((id) => before === undefined || id < before).toSorted((one, other) => (one < other ? 1 : -1))
  return { ids: ids.slice(0, wanted), examinedTo: ids.length > wanted ? ids[wanted - 1] : undefined }
}

/**
 * Reads and compiles a saved segment. Faults: `not_found`, `invalid_segment`, `rate_limited` (the segment asks for `lastNotifiedAt`, and audience
 * does not know it for all devices of the app yet).
 */
export async function readSegment(
  { db, lastNotified }: Sources,
  { appId, segmentId }: { appId: string; segmentId: string },
): Promise<Segment> {
  const segment = compileSaved((await getSegment(db, { appId, segmentId })).definition)
  if (!(await lastNotified(appId, segment))) throw tooManyReads(5)
  return segment
}
