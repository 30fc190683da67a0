import type { InboxPush } from '@herald/contracts/calls/tracker'
import { invalidField } from '@herald/contracts/fault'
import type { MarkInbox } from '@herald/contracts/inbox'
import { mostUnread } from '@herald/contracts/inbox'
import type { SkipReason } from '@herald/contracts/outcome'
import { transact } from '@herald/service/postgres'
import { inListOrder, readCursor, writeCursor, type PushPlace } from './core/page-cursor.ts'
import type { TimedEnd } from './core/slots.ts'
import { findPushes, type FoundPush } from './find-pushes.ts'
import { holdPeople } from './store/conversions.ts'
import { findEngagements } from './store/engagements.ts'
import { findMarks, hideItem, leaveInboxes, markAllRead, markAllUnread, markItems } from './store/inbox.ts'
import type { Db } from './store/tables.ts'
import type { Ledger, Tracker } from './tracker.ts'

type Person = { appId: string; userId: string }
type Asked = Person & { subscriptionIds: string[]; days: number; limit: number; cursor?: string | undefined }

/**
 * Lists a person's inbox from the ledger: their pushes to these devices in sends that are marked, one item for each send, newest first. `unread`
 * counts in the newest 100. Fault: invalid_body at `cursor`.
 */
export async function readInbox(
  { db, retentionDays }: Ledger,
  { cursor, ...asked }: Asked,
): Promise<{ items: InboxPush[]; unread: number; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  if (cursor !== undefined && !after) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  const kept = { ...asked, days: Math.min(asked.days, retentionDays) }
  const newest = await gather(db, kept, undefined, mostUnread)
  const page = after ? await gather(db, kept, after, asked.limit) : firstOf(newest, asked.limit)
  return {
    items: page.items,
    unread: newest.items.filter(({ readAt }) => readAt === null).length,
    nextCursor: page.next ? writeCursor(page.next) : null,
  }
}

type Gathered = { items: InboxPush[]; places: PushPlace[]; next: PushPlace | undefined }

const firstOf = ({ items, places, next }: Gathered, limit: number): Gathered => ({
  items: items.slice(0, limit),
  places,
  next: items.length > limit ? endOf(places[limit - 1]) : next,
})

/** The place after the last push of a send. */
const endOf = (place: PushPlace | undefined): PushPlace | undefined => place && { campaignId: place.campaignId, no: 0, place: 0 }

async function gather(
  db: Db,
  { appId, userId, subscriptionIds, days }: Asked,
  after: PushPlace | undefined,
  limit: number,
): Promise<Gathered> {
  const found: FoundPush[] = []
  let bound: PushPlace | undefined
  for (const subscriptionId of subscriptionIds) {
    const { page, examinedTo } = await findPushes(db, { appId, userId, subscriptionId, after, limit, retentionDays: days, inbox: true })
    found.push(...page)
    // A device whose list goes on is known up to here only, so the page ends here for all devices.
    if (examinedTo && (!bound || inListOrder(examinedTo, bound) < 0)) bound = examinedTo
  }
  const known = found.filter((push) => isShown(push.end) && (!bound || inListOrder(push, bound) <= 0)).toSorted(inListOrder)
  const sends = [...Map.groupBy(known, ({ campaignId }) => campaignId).values()].slice(0, limit)
  const last = sends.at(-1)?.at(-1)
  const isCut = sends.length === limit && known.some((push) => last && inListOrder(last, push) < 0)
  const next = isCut ? endOf(last) : bound && (last?.campaignId === bound.campaignId ? endOf(bound) : bound)

  const ofSends = sends.flat()
  const reported = await findEngagements(
    db,
    ofSends.map(({ row, campaignId, subscriptionId }) => ({ day: row.day, campaignId, subscriptionId })),
  )
  const marks = await findMarks(
    db,
    { appId, userId },
    sends.flatMap(([first]) => first?.campaignId ?? []),
  )
  const shown = sends.flatMap((pushes): { item: InboxPush; place: PushPlace }[] => {
    // The push that was sent says when, and which variant the person got.
    const first = pushes.find(({ end }) => end.outcome === 'sent') ?? pushes[0]
    const mark = first && marks.items.get(first.campaignId)
    if (!first || mark?.hidden) return []
    const sentAt = new Date(first.end.at)
    const readAt = mark ? mark.readAt : marks.readUntil && sentAt <= marks.readUntil ? marks.readUntil : null
    const opened = pushes.some(({ campaignId, subscriptionId }) =>
      reported.get(campaignId + subscriptionId)?.some((kind) => kind === 'opened' || kind === 'clicked'),
    )
    const { campaignId } = first
    const variant = first.end.variant === '' ? null : first.end.variant
    const item = { campaignId, variant, sentAt: sentAt.toISOString(), readAt: readAt?.toISOString() ?? null, opened }
    return [{ item, place: pushes.at(-1) ?? first }]
  })
  return { items: shown.map(({ item }) => item), places: shown.map(({ place }) => place), next }
}

/** The reasons for which a push was skipped although the person may read what it says. */
const skippedButShown: readonly SkipReason[] = ['opted_out', 'invalidated', 'expired', 'frequency_cap', 'quiet_hours']
const isShown = ({ outcome, code }: TimedEnd): boolean => outcome !== 'skipped' || skippedButShown.some((reason) => reason === code)

/** Marks items of a person as read or unread. Nothing is written for an erased user or app. */
export const markInbox = ({ db }: Pick<Tracker, 'db'>, { mark, ...person }: Person & { mark: MarkInbox }): Promise<Record<string, never>> =>
  forPerson(db, person, async (trx) => {
    const { ids, before, read = true } = mark
    if (ids) await markItems(trx, person, [...new Set(ids)], read)
    else if (read) await markAllRead(trx, person, before)
    else await markAllUnread(trx, person)
  })

/** Hides an item from a person for good. */
export const hideInboxItem = (
  { db }: Pick<Tracker, 'db'>,
  { campaignId, ...person }: Person & { campaignId: string },
): Promise<Record<string, never>> => forPerson(db, person, (trx) => hideItem(trx, person, campaignId))

/** Takes a dismissed campaign out of all inboxes for good (spec: recall/inbox). */
export async function dropFromInboxes(
  { db }: Pick<Tracker, 'db'>,
  campaign: { appId: string; campaignId: string },
): Promise<Record<string, never>> {
  await leaveInboxes(db, campaign)
  return {}
}

const forPerson = (db: Db, { appId, userId }: Person, work: (trx: Db) => Promise<unknown>): Promise<Record<string, never>> =>
  transact(db, async (trx) => {
    const { isKept, erased } = await holdPeople(trx, appId, [userId])
    if (isKept && !erased.has(userId)) await work(trx)
    return {}
  })
