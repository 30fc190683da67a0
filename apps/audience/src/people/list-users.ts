import { tooManyReads } from '@herald/contracts/fault'
import { isObjectId } from '@herald/contracts/ids'
import { readCursor, writeCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import type { PersonSummary } from '@herald/contracts/person'
import type { Segment } from '@herald/contracts/segment'
import { compileSaved } from '../segments/count-segment.ts'
import type { LastNotified } from '../sends/last-notified.ts'
import { databaseNow } from '../segments/store/counts.ts'
import { findByEitherId, findByPrefix, findMeant, findNewestUsers, findSummaries } from './store/people.ts'
import { getSegment } from '../segments/store/segments.ts'
import type { Db } from '../store/tables.ts'

/** Users that a page with a segment looks at, at ~10 µs each. */
const mostOfSegment = 10_000
const portionOfSegment = 1_000
/** So many users whose external id begins with what is looked for are all found, and put in order: ~5 ms. */
const mostOfPrefix = 5_000
/** Where there are more, so many of the newest users are looked through: ~50 ms. They are common, so a page is full as a rule. */
const mostLookedThrough = 50_000

type Reading = { db: Db; lastNotified: LastNotified }
type Asked = ListRequest & { appId: string; segmentId?: string | undefined }

/**
 * A page of an app's users, newest first (spec: administration/users). Who they may be follows from `q`; the segment leaves out those of whom it means no
 * reachable device. Faults: not_found (the segment), invalid_segment, invalid_body at `cursor`, rate_limited while the segment cannot be asked yet.
 */
export async function listUsers({ db, lastNotified }: Reading, asked: Asked): Promise<Listed<PersonSummary>> {
  const { appId, segmentId, limit } = asked
  const segment = segmentId === undefined ? undefined : await readSegment({ db, lastNotified }, { appId, segmentId })
  const before = asked.cursor === undefined ? undefined : readCursor(asked.cursor).id
  const candidates = await findCandidates(db, asked, { before, wanted: segment ? mostOfSegment : limit + 1 })
  const ids = segment ? await keepMeant(db, segment, candidates.ids, limit + 1) : candidates.ids
  const page = ids.slice(0, limit)
  const next = ids.length > limit ? page.at(-1) : candidates.examinedTo
  return { items: await findSummaries(db, page), nextCursor: next === undefined ? null : writeCursor({ id: next, createdAt: new Date(0) }) }
}

/** The first `wanted` of these users whom a segment means, or all when they are fewer. Looked for in portions: the users of a common segment are found in the first. */
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

/** Who may be in the page, newest first, at most `wanted` of them as far as more can be found by going on. */
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

/** A saved segment, ready to be asked. Faults: not_found, invalid_segment, rate_limited. */
export async function readSegment(
  { db, lastNotified }: Reading,
  { appId, segmentId }: { appId: string; segmentId: string },
): Promise<Segment> {
  const segment = compileSaved((await getSegment(db, { appId, segmentId })).definition)
  if (!(await lastNotified(appId, segment))) throw tooManyReads(5)
  return segment
}
