import type { CircuitEnvironment, Decided, FinishBatch } from '@herald/contracts/batch'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { announce, pointAtBatches } from '../point.ts'
import { invalidateDead, rememberEnvironments, type Invalidated } from '../people/store/subscriptions.ts'
import { insertAnnouncements, type AnnouncementRow } from '../store/announcements.ts'
import type { BatchPointerRow } from '../store/due.ts'
import { noteNotified } from '../store/last-notified.ts'
import type { Db } from '../store/tables.ts'
import { resolveGuarded, resolveUnavailable } from './core/guarded.ts'
import { deterministicId, groupRetries } from './core/retries.ts'
import { insertGuarded, nameOfCircuit, type CircuitKey } from './store/circuits.ts'
import { findNowOrNever, insertDecided, insertRetries, markDone, markQuietlyDone, type FinishedRow } from './store/finished-batches.ts'
import { releasedAtOnce, releaseHeld } from './store/held-batches.ts'
import { keyOfTake } from './store/taken-batches.ts'
import { isAnythingNew, updateCircuits, type CircuitChanges, type CircuitMemory, type Finish, type Refusal } from './update-circuits.ts'

export type FinishAnswer = 'done' | 'lost'

/** A finish in which every push has its next step. `decided` are the pushes that have failed, `refusal` what its refused tokens mean. */
type ResolvedFinish = Finish & { decided: Decided[]; refusal: Refusal | undefined }

export type Finishing = Audience & {
  circuitMemory: CircuitMemory
  poke: () => void
  /** Lets a fan-out of the app cut its next page, because a bulk batch is done. */
  wakeFanOut: (appId: string) => Promise<void>
}

/** An announcement holds at most this many events (contracts' Announcement). */
const eventsPerAnnouncement = 1_000

/**
 * Finishes batches whose outcomes are all in the ledger (docs/architecture.md, step 4), in one transaction for all: marks them done, updates
 * the circuits from their answers, invalidates dead tokens, notes when devices were last sent to, and makes batches of the retries and of
 * the decided failures. When every push was sent, as nearly always, marking them done is all, in one statement. A finish of an older take, or
 * a repeated finish, is `lost` and changes nothing. Answers in the order given.
 */
export async function finishBatch(
  { poke, circuitMemory, wakeFanOut, ...audience }: Finishing,
  finishes: FinishBatch[],
): Promise<FinishAnswer[]> {
  const { db } = audience
  const sent = finishes.every(wereSent) ? stillTaken(await markQuietlyDone(db, finishes), finishes) : []
  const ofSent = new Set(sent.map(({ finish }) => finish))
  const others = finishes.filter((finish) => !ofSent.has(finish))
  let resolved: ResolvedFinish[] = []
  // Plain sends reach a circuit a moment after their batch is done, and only now and then.
  if (others.length > 0 || isAnythingNew(circuitMemory, sent)) {
    const { changes, announcements, decided, ...rest } = await transact(db, async (trx) => {
      const done = others.length > 0 ? stillTaken(await markDone(trx, others), others) : []
      const changes = await updateCircuits(trx, circuitMemory, [...sent, ...done])
      const resolved = await resolve(trx, done, changes)
      const announcements = await invalidate(trx, resolved)
      await noteSent(trx, done)
      await keepRetries(trx, resolved)
      return { resolved, changes, announcements, decided: await keepDecided(trx, resolved) }
    })
    resolved = rest.resolved
    circuitMemory.tell(changes)
    await announce(audience, announcements)
    await pointAtBatches(audience, decided)
    for (const circuit of changes.closed) await release({ ...audience, poke }, circuit)
    if (changes.closed.length > 0 || resolved.some(({ finish }) => finish.retries.length > 0)) poke()
  }

  const done = [...sent, ...resolved]
  // A finished bulk batch makes room in its app's window.
  for (const appId of new Set(done.filter(({ row }) => row.lane === 'bulk').map(({ row }) => row.appId))) await wakeFanOut(appId)
  const doneTakes = new Set(done.map(({ finish }) => keyOfTake(finish)))
  return finishes.map((finish) => (doneTakes.delete(keyOfTake(finish)) ? 'done' : 'lost'))
}

/** Whether every push of the batch was sent, or ended before it could be sent: the ledger has it all, and nothing is to be done here. */
const wereSent = ({ environments, dead, guarded, unavailable, retries, answers }: FinishBatch): boolean =>
  [environments, dead, guarded, unavailable, retries].every(({ length }) => length === 0) &&
  answers.every(({ seen }) => /^[s\d]*$/.test(seen))

/** Pairs the rows that were marked done with their finishes, in the order given. Of a finish that is repeated in the group the first counts. */
function stillTaken(rows: FinishedRow[], finishes: FinishBatch[]): Finish[] {
  const rowOf = new Map(rows.map((row) => [keyOfTake({ batchId: row.id, takes: row.takes }), row]))
  return finishes.flatMap((finish) => {
    const key = keyOfTake(finish)
    const row = rowOf.get(key)
    rowOf.delete(key)
    return row ? [{ row, finish }] : []
  })
}

/**
 * Gives the pushes whose tokens were refused, and those for which the provider was unavailable, their next step, by what their circuits say.
 * A refused push that would be tried again has failed if its send has ttl 0.
 */
async function resolve(db: Db, finishes: Finish[], { refusals, open }: CircuitChanges): Promise<ResolvedFinish[]> {
  const doubted = finishes.filter((one) => one.finish.guarded.length > 0 && refusals.get(one)?.meaning === 'retry')
  const nowOrNever = await findNowOrNever(db, new Set(doubted.map(({ row }) => row.campaignId)))
  return finishes.map((one) => {
    const { row } = one
    const refusal = refusals.get(one)
    const meaning = refusal?.meaning ?? 'failed'
    const isLastTry = meaning === 'retry' && nowOrNever.has(row.campaignId)
    const isOpen = (environment: CircuitEnvironment) => open.has(nameOfCircuit({ appId: row.appId, platform: row.platform, environment }))
    const { decided, ...guarded } = resolveGuarded(one.finish, isLastTry ? 'failed' : meaning)
    const known = { ...one.finish, ...guarded }
    const unavailable = resolveUnavailable(known, isOpen, row.probes !== null)
    return { row, finish: { ...known, retries: unavailable.retries }, decided: [...decided, ...unavailable.decided], refusal }
  })
}

/** Invalidates devices whose tokens are dead and, in the same transaction, stores the announcements for apps that have an endpoint for them. */
async function invalidate(db: Db, finishes: ResolvedFinish[]): Promise<AnnouncementRow[]> {
  const dead = finishes.flatMap(({ row, finish }) => finish.dead.map((one) => ({ ...one, campaignId: row.campaignId })))
  if (dead.length === 0) return []
  const foundBy = new Map(
    finishes
      .toReversed()
      .flatMap(({ row, finish }) =>
        finish.dead.map((one) => [one.subscriptionId, { campaignId: row.campaignId, test: finish.test, code: one.code }]),
      ),
  )
  const invalidated = await invalidateDead(db, dead)
  await noteGuarded(db, finishes, invalidated)
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

/** Invalidations that the mass guard let happen are remembered for a day: they are undone when the circuit opens. */
async function noteGuarded(db: Db, finishes: ResolvedFinish[], invalidated: Invalidated[]): Promise<void> {
  const refused = new Map(
    finishes.flatMap(({ refusal, finish }) =>
      refusal?.meaning === 'dead' ? finish.guarded.map(({ subscriptionId }) => [subscriptionId, refusal.circuit] as const) : [],
    ),
  )
  const guarded = invalidated.flatMap((one) => {
    const circuit = refused.get(one.id)
    return circuit ? [{ ...one, ...circuit }] : []
  })
  if (guarded.length > 0) await insertGuarded(db, guarded)
}

/** The send that found a token dead, whether it was a test, and the code of the provider's answer. */
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

/**
 * Remembers which APNs environment accepted a token and, for apps that ask for `lastNotifiedAt`, which devices were sent to: all of a batch
 * but those that its finish names.
 */
async function noteSent(db: Db, finishes: Finish[]): Promise<void> {
  const accepted = finishes.flatMap(({ finish }) => finish.environments)
  if (accepted.length > 0) await rememberEnvironments(db, accepted)
  const noting = finishes.filter(({ row }) => row.notesSent)
  await noteNotified(
    db,
    noting.map(({ finish: { batchId, unsent, dead, guarded, unavailable, retries } }) => {
      const named = [...dead, ...guarded, ...unavailable, ...retries].map(({ subscriptionId }) => subscriptionId)
      return { batchId, notTo: [...unsent, ...named] }
    }),
  )
}

async function keepRetries(db: Db, finishes: ResolvedFinish[]): Promise<void> {
  const retries = finishes.flatMap(({ row, finish }) => groupRetries(finish, row.queuedAt).map((retry) => ({ ...retry, retryOf: row.id })))
  if (retries.length > 0) await insertRetries(db, retries)
}

/** Stores decided failures as batches of their own, so that no crash loses an outcome. The same finish never makes two. */
async function keepDecided(db: Db, finishes: ResolvedFinish[]): Promise<BatchPointerRow[]> {
  const batches = finishes.flatMap(({ row, decided }) =>
    decided.length > 0 ? [{ id: deterministicId(`${row.id}:${row.takes}:decided`, row.queuedAt), row, decided }] : [],
  )
  if (batches.length === 0) return []
  await insertDecided(
    db,
    batches.map(({ id, row, decided }) => ({ id, retryOf: row.id, decided })),
  )
  return batches.map(({ id, row: { campaignId, appId, platform, lane } }) => ({
    batchId: id,
    campaignId,
    appId,
    platform,
    lane,
    pointerNo: 0,
  }))
}

/**
 * Releases the batches that a closed circuit held, 500 at a time; the sweep points at them by turns. The finish waits for the first 500 only.
 * Should releasing the rest fail, each of these batches is tried again within 30 s.
 */
async function release({ db, log, poke }: Audience & { poke: () => void }, { appId, platform }: CircuitKey): Promise<void> {
  const releaseSome = () => releaseHeld(db, { appId, platform })
  const releaseRest = async () => {
    do poke()
    while ((await releaseSome()) === releasedAtOnce)
    poke()
  }
  if ((await releaseSome()) === releasedAtOnce) {
    releaseRest().catch((error: unknown) => log.debug({ appId, platform, err: error }, 'held batches are tried again at their own time'))
  }
}
