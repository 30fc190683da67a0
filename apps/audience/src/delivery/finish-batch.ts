import type { CircuitEnvironment, Decided, FinishBatch } from '@herald/contracts/batch'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import type { Audience } from '../audience.ts'
import { announce, pointAtBatches } from '../point.ts'
import { invalidateDead, rememberEnvironments, type Invalidated } from '../people/store/subscriptions.ts'
import { deleteDeadTokens } from '../store/activities.ts'
import { insertAnnouncements, type AnnouncementRow } from '../store/announcements.ts'
import type { BatchPointerRow } from '../store/due.ts'
import { noteNotified } from '../store/last-notified.ts'
import type { Db } from '../store/tables.ts'
import { resolveGuarded, resolveUnavailable } from './core/guarded.ts'
import { deterministicId, groupRetries } from './core/retries.ts'
import { countRefused } from './store/accepted-devices.ts'
import { insertGuarded, nameOfCircuit, type CircuitKey } from './store/circuits.ts'
import { findNowOrNever, insertDecided, insertRetries, markDone, markQuietlyDone, type FinishedRow } from './store/finished-batches.ts'
import { releasedAtOnce, releaseHeld } from './store/held-batches.ts'
import { keyOfTake } from './store/taken-batches.ts'
import { isAnythingNew, updateCircuits, type CircuitChanges, type CircuitMemory, type Finish, type Refusals } from './update-circuits.ts'

export type FinishAnswer = 'done' | 'lost'

/**
 * A finish (what a dispatcher reports when it is done with a batch) after audience has decided which doubtful pushes are tried again (`retries`) and
 * which have failed (`decided`). `refusals`: what refused devices mean.
 */
type ResolvedFinish = Finish & { decided: Decided[]; refusals: Refusals | undefined }

export type Finishing = Audience & {
  circuitMemory: CircuitMemory
  poke: () => void
  /** Makes a fan-out of the app go on with its next page, because a bulk batch is done. */
  wakeFanOut: (appId: string) => Promise<void>
}

/** As many held batches are released when one of them is to become the next probe of a circuit. */
const releasedForProbe = 10

/** An announcement holds at most this many events (`Announcement` in libs/contracts). */
const eventsPerAnnouncement = 1_000

/**
 * Finishes batches whose outcomes are all in the ledger (docs/architecture.md, step 4). A finish of an older take, or a repeated finish, is `lost`
 * and changes nothing. Answers in the order given.
 */
export async function finishBatch(
  { poke, circuitMemory, wakeFanOut, ...audience }: Finishing,
  finishes: FinishBatch[],
): Promise<FinishAnswer[]> {
  const { db } = audience
  // Nearly always every push of every batch was sent or ended without an attempt: then one statement is enough. It leaves out probes, and batches of
  // apps that ask for `lastNotifiedAt`.
  const sent = finishes.every(wereSent) ? stillTaken(await markQuietlyDone(db, finishes), finishes) : []
  const ofSent = new Set(sent.map(({ finish }) => finish))
  const others = finishes.filter((finish) => !ofSent.has(finish))
  let resolved: ResolvedFinish[] = []
  // Sends on a healthy circuit are written to it only once a second, after their batches are done.
  if (others.length > 0 || isAnythingNew(circuitMemory, sent)) {
    const { changes, announcements, decided, ...rest } = await transact(db, async (trx) => {
      const done = others.length > 0 ? stillTaken(await markDone(trx, others), others) : []
      const changes = await updateCircuits(trx, circuitMemory, [...sent, ...done])
      const resolved = await resolve(trx, done, changes)
      const announcements = await invalidate(trx, resolved)
      await noteSent(trx, done)
      // After the devices are locked, since a request that brings a token locks the device first.
      for (const { row, finish } of resolved)
        if (finish.activity && finish.dead.length > 0) await deleteDeadTokens(trx, row.appId, { ...finish.activity, dead: finish.dead })
      await keepRetries(trx, resolved)
      return { resolved, changes, announcements, decided: await keepDecided(trx, resolved) }
    })
    resolved = rest.resolved
    circuitMemory.tell(changes)
    await announce(audience, announcements)
    await pointAtBatches(audience, decided)
    for (const circuit of changes.closed) await release({ ...audience, poke }, circuit)
    // After a refused probe another device is probed at once. It may be in any held batch.
    for (const circuit of changes.probedAgain) await releaseHeld(db, circuit, releasedForProbe)
    if (changes.closed.length > 0 || changes.probedAgain.length > 0 || resolved.some(({ finish }) => finish.retries.length > 0)) poke()
  }

  const done = [...sent, ...resolved]
  // An app may have a limited number of unfinished bulk batches, its bulk window. When one of them is done, a fan-out that waits for the
  // window may go on.
  for (const appId of new Set(done.filter(({ row }) => row.lane === 'bulk').map(({ row }) => row.appId))) await wakeFanOut(appId)
  const doneTakes = new Set(done.map(({ finish }) => keyOfTake(finish)))
  return finishes.map((finish) => (doneTakes.delete(keyOfTake(finish)) ? 'done' : 'lost'))
}

/** Whether every push of the batch was sent or ended without an attempt, and no APNs environment is to be remembered. */
const wereSent = ({ environments, dead, guarded, refused, unavailable, retries, answers }: FinishBatch): boolean =>
  [environments, dead, guarded, refused, unavailable, retries].every(({ length }) => length === 0) &&
  answers.every(({ seen }) => /^[s\d]*$/.test(seen))

/** Pairs the rows that were marked done with their finishes, in the order of the finishes. Of a repeated finish only the first gets the row. */
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
 * Decides by the circuits whether pushes with refused tokens, and pushes for which the provider was unavailable, failed or are tried again. A refused
 * push of a send with ttl 0 is never tried again.
 */
async function resolve(db: Db, finishes: Finish[], { refusals, open }: CircuitChanges): Promise<ResolvedFinish[]> {
  const isDoubted = ({ finish }: Finish) => finish.guarded.length > 0
  const nowOrNever = await findNowOrNever(db, new Set(finishes.filter(isDoubted).map(({ row }) => row.campaignId)))
  const resolved = finishes.map((one) => {
    const { row } = one
    const of = refusals.get(one)
    const nameOf = (environment: CircuitEnvironment) => nameOfCircuit({ appId: row.appId, platform: row.platform, environment })
    const isOpen = (environment: CircuitEnvironment) => open.has(nameOf(environment))
    const { counted, decided, ...guarded } = resolveGuarded(one.finish, ({ environment, letter, host }) => {
      const verdict = of?.get(nameOf(environment))?.decisionOn(letter, host) ?? { meaning: 'failed', code: null }
      // spec: sending/ttl-zero
      return verdict.meaning === 'retry' && nowOrNever.has(row.campaignId) ? { meaning: 'failed', code: null } : verdict
    })
    const known = { ...one.finish, ...guarded }
    const unavailable = resolveUnavailable(known, isOpen, row.probes !== null)
    const finish = { ...known, retries: unavailable.retries }
    return { row, finish, counted, decided: [...decided, ...unavailable.decided], refusals: of }
  })
  const counted = resolved.flatMap(({ row: { campaignId }, finish, counted }) =>
    counted.map((one) => ({ ...one, campaignId, credentialsVersion: finish.credentialsVersion })),
  )
  const last = counted.length > 0 ? await countRefused(db, counted) : new Set<string>()
  return resolved.map(({ counted, finish, ...one }) => {
    const dead = [...finish.dead, ...counted.filter(({ subscriptionId }) => last.has(subscriptionId))]
    return { ...one, finish: { ...finish, dead } }
  })
}

/** Invalidates devices whose tokens are dead and, in the same transaction, stores the announcements for apps with an endpoint that asks for them. */
async function invalidate(db: Db, finishes: ResolvedFinish[]): Promise<AnnouncementRow[]> {
  const dead = finishes.flatMap(({ row, finish }) =>
    finish.activity ? [] : finish.dead.map((one) => ({ ...one, campaignId: row.campaignId })),
  )
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

/**
 * Remembers for a day the invalidations that the mass guard allowed. They are undone if the circuit opens within that day because of the
 * app's credentials.
 */
async function noteGuarded(db: Db, finishes: ResolvedFinish[], invalidated: Invalidated[]): Promise<void> {
  const refused = new Map(
    finishes.flatMap(({ row: { appId, platform }, finish }) =>
      finish.guarded.map(({ subscriptionId, environment }) => [subscriptionId, { appId, platform, environment }] as const),
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
 * Remembers which APNs environment accepted a token and, for apps that ask for `lastNotifiedAt`, which devices were sent to: all devices of a batch
 * except those that its finish names.
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

/**
 * Stores the failed pushes as batches that dispatchers take to report the outcomes, so that no crash loses an outcome. A repeated finish
 * stores nothing.
 */
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
 * Releases the batches that a closed circuit held, 500 at a time, for the sweep to point at. The finish waits only for the first 500. If releasing
 * the others fails, each becomes due when its hold ends.
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
