import type { CircuitEnvironment, Decided, FinishBatch } from '@herald/contracts/batch'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import type { Breaker } from './breaker.ts'
import { settleGuarded, settleUnavailable } from './core/guarded.ts'
import { deterministicId, groupRetries } from './core/retries.ts'
import { isAnythingNew, judgeAnswers, type Finish, type Judged, type Judgement } from './judge-answers.ts'
import { announce, pointAtBatches, pointAtPages } from './point.ts'
import { insertAnnouncements, type AnnouncementRow } from '../store/announcements.ts'
import {
  findNowOrNever,
  insertDecided,
  insertRetries,
  keyOfTake,
  markDone,
  markQuietlyDone,
  releasedAtOnce,
  releaseHeld,
  type BatchPointerRow,
  type FinishedRow,
} from './store/batches.ts'
import { insertGuarded, nameOfCircuit, type CircuitKey } from './store/circuits.ts'
import { wakeWaiting } from '../sends/store/fan-outs.ts'
import { noteNotified } from '../sends/store/last-notified.ts'
import { invalidateDead, rememberEnvironments, type Invalidated } from '../people/store/subscriptions.ts'
import type { Db } from '../store/tables.ts'

export type FinishAnswer = 'done' | 'lost'

/** A finish whose refused tokens are settled, and the circuit on which they were refused. */
type Ended = Finish & { decided: Decided[]; judged: Judged | undefined }

export type Finishing = Audience & { breaker: Breaker; poke: () => void }

/** An announcement holds at most this many events (contracts' Announcement). */
const eventsPerAnnouncement = 1_000

/**
 * Ends batches whose outcomes are all with the tracker (docs/architecture.md, step 4), in one transaction for all: done, what their
 * answers say of the circuits, dead tokens invalidated, last notified noted, retries and decided failures made. Where every push was sent, as nearly
 * always, there is nothing but to mark them done, in one statement. A finish with another take's number, or a second one, is `lost` and changes
 * nothing. Answers in the order given.
 */
export async function finishBatch({ poke, breaker, ...audience }: Finishing, finishes: FinishBatch[]): Promise<FinishAnswer[]> {
  const { db } = audience
  const sent = finishes.every(wereSent) ? winners(await markQuietlyDone(db, finishes), finishes) : []
  const ofSent = new Set(sent.map(({ finish }) => finish))
  const others = finishes.filter((finish) => !ofSent.has(finish))
  let ended: Ended[] = []
  // A circuit may hear of sends a moment after their batch is done: it is told of them now and then only.
  if (others.length > 0 || isAnythingNew(breaker, sent)) {
    const { judgement, announcements, decided, ...rest } = await transact(db, async (trx) => {
      const won = others.length > 0 ? winners(await markDone(trx, others), others) : []
      const judgement = await judgeAnswers(trx, breaker, [...sent, ...won])
      const ended = await settle(trx, won, judgement)
      const announcements = await invalidate(trx, ended)
      await noteSent(trx, won)
      await keepRetries(trx, ended)
      return { ended, judgement, announcements, decided: await keepDecided(trx, ended) }
    })
    ended = rest.ended
    breaker.tell(judgement)
    await announce(audience, announcements)
    await pointAtBatches(audience, decided)
    for (const way of judgement.closed) await letGo({ ...audience, poke }, way)
    if (judgement.closed.length > 0 || ended.some(({ finish }) => finish.retries.length > 0)) poke()
  }

  await wakeFanOuts(audience, [...sent, ...ended])
  const done = new Set([...sent, ...ended].map(({ finish }) => keyOfTake(finish)))
  return finishes.map((finish) => (done.delete(keyOfTake(finish)) ? 'done' : 'lost'))
}

/** Every push of it was sent, or ended before it could be, which is in the ledger: nothing is to be done for any of them. */
const wereSent = ({ environments, dead, guarded, unavailable, retries, answers }: FinishBatch): boolean =>
  [environments, dead, guarded, unavailable, retries].every(({ length }) => length === 0) &&
  answers.every(({ seen }) => /^[s\d]*$/.test(seen))

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

/** Settles refused tokens, and pushes that nobody answered, by what their circuits say. Where that is to try again, what is sent now or never has failed. */
async function settle(db: Db, won: Finish[], { judged, open }: Judgement): Promise<Ended[]> {
  const doubted = won.filter((one) => one.finish.guarded.length > 0 && judged.get(one)?.verdict === 'retry')
  const nowOrNever = await findNowOrNever(db, new Set(doubted.map(({ row }) => row.campaign_id)))
  return won.map((one) => {
    const verdict = judged.get(one)?.verdict ?? 'failed'
    const isLost = verdict === 'retry' && nowOrNever.has(one.row.campaign_id)
    const { row } = one
    const isOpen = (environment: CircuitEnvironment) => open.has(nameOfCircuit({ appId: row.app_id, platform: row.platform, environment }))
    const { decided, ...settled } = settleGuarded(one.finish, isLost ? 'failed' : verdict)
    const known = { ...one.finish, ...settled }
    const answered = settleUnavailable(known, isOpen, row.probes !== null)
    const finish = { ...known, retries: answered.retries }
    return { row, finish, decided: [...decided, ...answered.decided], judged: judged.get(one) }
  })
}

/** Invalidates what was called dead, and writes down in the same transaction that webhooks is to hear of it, where somebody listens. */
async function invalidate(db: Db, ended: Ended[]): Promise<AnnouncementRow[]> {
  const dead = ended.flatMap(({ row, finish }) => finish.dead.map((one) => ({ ...one, campaignId: row.campaign_id })))
  if (dead.length === 0) return []
  const foundBy = new Map(
    ended
      .toReversed()
      .flatMap(({ row, finish }) =>
        finish.dead.map((one) => [one.subscriptionId, { campaignId: row.campaign_id, test: finish.test, code: one.code }]),
      ),
  )
  const invalidated = await invalidateDead(db, dead)
  await noteGuarded(db, ended, invalidated)
  const isHeard = await findListeners(
    db,
    invalidated.map(({ appId }) => appId),
  )
  const events = invalidated.flatMap((subscription) => {
    if (!isHeard(subscription.appId, 'subscription.invalidated')) return []
    const found = foundBy.get(subscription.id)
    return found ? [invalidatedEvent(subscription, found)] : []
  })
  const announcements: AnnouncementRow[] = []
  for (let from = 0; from < events.length; from += eventsPerAnnouncement) {
    const body = events.slice(from, from + eventsPerAnnouncement)
    announcements.push({ id: newId(), subject: eventSubjects.subscriptionInvalidated, body, pointerNo: 0 })
  }
  if (announcements.length > 0) await insertAnnouncements(db, announcements)
  return announcements
}

/** What the mass guard let through is kept for a day: it is undone when its circuit opens. */
async function noteGuarded(db: Db, ended: Ended[], invalidated: Invalidated[]): Promise<void> {
  const refused = new Map(
    ended.flatMap(({ judged, finish }) =>
      judged?.verdict === 'dead' ? finish.guarded.map(({ subscriptionId }) => [subscriptionId, judged.circuit] as const) : [],
    ),
  )
  const guarded = invalidated.flatMap((one) => {
    const circuit = refused.get(one.id)
    return circuit ? [{ ...one, ...circuit }] : []
  })
  if (guarded.length > 0) await insertGuarded(db, guarded)
}

/** Which send found a dead token out, and whether it was a test. */
type FoundBy = { campaignId: string; test: true | undefined; code: string }

const invalidatedEvent = ({ id, appId, userId, platform, at }: Invalidated, { campaignId, test, code }: FoundBy): Event => ({
  type: 'subscription.invalidated',
  at: at.toISOString(),
  appId,
  campaignId,
  userId,
  subscriptionId: id,
  platform,
  data: { code, ...(test && { test }) },
})

/** What accepted a token is remembered, and, for an app that asks for it, whom the batches were sent to: all that their finishes do not name. */
async function noteSent(db: Db, won: Finish[]): Promise<void> {
  const accepted = won.flatMap(({ finish }) => finish.environments)
  if (accepted.length > 0) await rememberEnvironments(db, accepted)
  const noting = won.filter(({ row }) => row.notes_sent)
  await noteNotified(
    db,
    noting.map(({ finish: { batchId, unsent, dead, guarded, unavailable, retries } }) => {
      const named = [...dead, ...guarded, ...unavailable, ...retries].map(({ subscriptionId }) => subscriptionId)
      return { batchId, notTo: [...unsent, ...named] }
    }),
  )
}

async function keepRetries(db: Db, ended: Ended[]): Promise<void> {
  const retries = ended.flatMap(({ row, finish }) => groupRetries(finish, row.queued_at).map((retry) => ({ ...retry, retryOf: row.id })))
  if (retries.length > 0) await insertRetries(db, retries)
}

/** Decided failures are batches of their own, so that no crash loses an outcome. The same finish can never make two. */
async function keepDecided(db: Db, ended: Ended[]): Promise<BatchPointerRow[]> {
  const batches = ended.flatMap(({ row, decided }) =>
    decided.length > 0 ? [{ id: deterministicId(`${row.id}:${row.takes}:decided`, row.queued_at), row, decided }] : [],
  )
  if (batches.length === 0) return []
  await insertDecided(
    db,
    batches.map(({ id, row, decided }) => ({ id, retryOf: row.id, decided })),
  )
  return batches.map(({ id, row: { campaign_id: campaignId, app_id: appId, platform, lane } }) => ({
    batchId: id,
    campaignId,
    appId,
    platform,
    lane,
    pointerNo: 0,
  }))
}

/** A finished bulk batch makes room in its app's window: the fan-out that has waited longest cuts its next page. */
async function wakeFanOuts(audience: Audience, ended: Finish[]): Promise<void> {
  for (const appId of new Set(ended.filter(({ row }) => row.lane === 'bulk').map(({ row }) => row.app_id))) {
    await pointAtPages(audience, await wakeWaiting(audience.db, appId))
  }
}

/**
 * Lets go what a circuit held, 500 at a time: the sweep points at them in turn, and of bulk batches no more are held than the window has.
 * The finish waits for the first 500 only. Should the rest fail, each of them looks for itself within 30 s.
 */
async function letGo({ db, log, poke }: Audience & { poke: () => void }, { appId, platform }: CircuitKey): Promise<void> {
  const release = () => releaseHeld(db, { appId, platform })
  const releaseRest = async () => {
    do poke()
    while ((await release()) === releasedAtOnce)
    poke()
  }
  if ((await release()) === releasedAtOnce) {
    releaseRest().catch((error: unknown) => log.debug({ appId, platform, err: error }, 'what is held looks for itself'))
  }
}
