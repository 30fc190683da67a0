import type { FinishBatch } from '@herald/contracts/batch'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import { groupRetries } from './core/retries.ts'
import { announce, pointAtPages } from './point.ts'
import { insertAnnouncements, type AnnouncementRow } from './store/announcements.ts'
import { insertRetries, keyOfTake, markDone, type FinishedRow } from './store/batches.ts'
import { wakeWaiting } from './store/fan-outs.ts'
import { invalidateDead, noteNotified, rememberEnvironments, type Invalidated } from './store/subscriptions.ts'
import type { Db } from './store/tables.ts'

export type FinishAnswer = 'done' | 'lost'
type Finish = { row: FinishedRow; finish: FinishBatch }

/** An announcement holds at most this many events (contracts' Announcement). */
const eventsPerAnnouncement = 1_000

/**
 * Ends batches whose outcomes are all with the tracker (architecture.md, path 4), in one transaction for all: done, dead tokens
 * invalidated, last notified noted, retries made. A finish with another take's number, or a second one, is `lost` and changes
 * nothing. Answers in the order given.
 */
export async function finishBatch(
  { poke, ...audience }: Audience & { poke: () => void },
  finishes: FinishBatch[],
): Promise<FinishAnswer[]> {
  const { ended, announcements } = await transact(audience.db, async (trx) => {
    const ended = winners(await markDone(trx, finishes), finishes)
    const announcements = await invalidate(trx, ended)
    await noteSent(trx, ended)
    await keepRetries(trx, ended)
    return { ended, announcements }
  })

  await announce(audience, announcements)
  await wakeFanOuts(audience, ended)
  if (ended.some(({ finish }) => finish.retries.length > 0)) poke()
  const done = new Set(ended.map(({ finish }) => finish))
  return finishes.map((finish) => (done.has(finish) ? 'done' : 'lost'))
}

/** Each finish that ended its batch, in the order given: the first, should one be repeated within the group. */
function winners(rows: FinishedRow[], finishes: FinishBatch[]): Finish[] {
  const ended = new Map(rows.map((row) => [keyOfTake({ batchId: row.id, takes: row.takes }), row]))
  return finishes.flatMap((finish) => {
    const key = keyOfTake(finish)
    const row = ended.get(key)
    ended.delete(key)
    return row ? [{ row, finish }] : []
  })
}

/** Invalidates what was called dead, and writes down in the same transaction that webhooks is to hear of it. */
async function invalidate(db: Db, ended: Finish[]): Promise<AnnouncementRow[]> {
  const dead = ended.flatMap(({ finish }) => finish.dead)
  if (dead.length === 0) return []
  const foundBy = new Map(
    ended.toReversed().flatMap(({ row, finish }) => finish.dead.map((one) => [one.subscriptionId, { row, code: one.code }])),
  )
  const events = (await invalidateDead(db, dead)).flatMap((subscription) => {
    const found = foundBy.get(subscription.id)
    return found ? [invalidatedEvent(subscription, found.row.campaign_id, found.code)] : []
  })
  const announcements: AnnouncementRow[] = []
  for (let from = 0; from < events.length; from += eventsPerAnnouncement) {
    const body = events.slice(from, from + eventsPerAnnouncement)
    announcements.push({ id: newId(), subject: eventSubjects.subscriptionInvalidated, body, pointerNo: 0 })
  }
  if (announcements.length > 0) await insertAnnouncements(db, announcements)
  return announcements
}

const invalidatedEvent = ({ id, appId, userId, platform, at }: Invalidated, campaignId: string, code: string): Event => ({
  type: 'subscription.invalidated',
  at: at.toISOString(),
  appId,
  campaignId,
  userId,
  subscriptionId: id,
  platform,
  data: { code },
})

async function noteSent(db: Db, ended: Finish[]): Promise<void> {
  const sent = ended.flatMap(({ finish }) => finish.sent)
  if (sent.length === 0) return
  const accepted = sent.flatMap(({ subscriptionId, environment }) => (environment ? [{ subscriptionId, environment }] : []))
  if (accepted.length > 0) await rememberEnvironments(db, accepted)
  await noteNotified(
    db,
    sent.map(({ subscriptionId }) => subscriptionId),
  )
}

async function keepRetries(db: Db, ended: Finish[]): Promise<void> {
  const retries = ended.flatMap(({ row, finish }) => groupRetries(finish).map((retry) => ({ ...retry, retryOf: row.id })))
  if (retries.length > 0) await insertRetries(db, retries)
}

/** A finished bulk batch makes room in its app's window: the fan-out that has waited longest cuts its next page. */
async function wakeFanOuts(audience: Audience, ended: Finish[]): Promise<void> {
  for (const appId of new Set(ended.filter(({ row }) => row.lane === 'bulk').map(({ row }) => row.app_id))) {
    await pointAtPages(audience, await wakeWaiting(audience.db, appId))
  }
}
