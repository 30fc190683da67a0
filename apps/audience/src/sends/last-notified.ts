import { findLastNotified, readNotified } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { leavesOf, type Segment } from '@herald/contracts/segment'
import type { Bus } from '@herald/service/bus'
import { transact } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import type { Audience } from '../audience.ts'
import { keepRecent } from '../core/recent.ts'
import { findReading, isNoted, keepRead, nameApp } from './store/last-notified.ts'
import type { Selection } from './store/pages.ts'
import type { Db } from '../store/tables.ts'

/**
 * Whether what a segment asks about `lastNotifiedAt` can be answered now. The first time an app asks, its ledger is read back first: for as
 * long as `patienceMs` that is waited for, and it goes on when nobody waits any more.
 */
export type LastNotified = (appId: string, segment: Segment) => Promise<boolean>

const patienceMs = 2_000
/** The row says it for a day at least. */
const rememberedMs = 3_600_000
/** Ledgers that one process reads back at once: a portion of 5,000 pushes is ~50 ms of the tracker. */
const readAtOnce = 4

export function openLastNotified(
  { onStop, log }: Pick<Service, 'onStop' | 'log'>,
  { db, bus }: { db: Db; bus: Pick<Bus, 'call'> },
): LastNotified {
  const knownUntil = keepRecent<number>(5_000)
  const reading = new Map<string, Promise<void>>()
  let isStopped = false
  onStop('last notified', () => {
    isStopped = true
    return Promise.allSettled(reading.values())
  })

  /** Reads an app's ledger from where it was left, newest push first, portion by portion. */
  const readBack = async (appId: string) => {
    for (let at = await findReading(db, appId); at && !isStopped; at = await findReading(db, appId)) {
      const place = { appId, ...at }
      const portion = await bus.call(readNotified, { appId, after: at.readTo })
      await transact(db, (trx) => keepRead(trx, place, portion))
    }
  }
  const inBackground = (appId: string): Promise<void> => {
    const known = reading.get(appId)
    if (known || reading.size >= readAtOnce || isStopped) return known ?? Promise.resolve()
    const running = readBack(appId)
      .catch((error: unknown) => log.debug({ appId, err: error }, 'the ledger is read on when the app asks again'))
      .finally(() => reading.delete(appId))
    reading.set(appId, running)
    return running
  }

  return async (appId, segment) => {
    if (!namesLastNotified(segment) || (knownUntil.get(appId) ?? 0) > performance.now()) return true
    const askedAt = performance.now()
    if (!(await nameApp(db, appId)).isRead) {
      await Promise.race([inBackground(appId), new Promise((resolve) => setTimeout(resolve, patienceMs).unref())])
      if (!(await isNoted(db, appId))) return false
    }
    knownUntil.set(appId, askedAt + rememberedMs)
    return true
  }
}

const namesLastNotified = (segment: Segment): boolean =>
  segment.is !== 'everyone' && leavesOf(segment).some(({ field }) => field.on === 'device' && field.name === 'lastNotifiedAt')

/** For a send: fault `queue_unavailable` while what it asks cannot be answered yet. It comes again by itself. */
export async function awaitLastNotified(
  { lastNotified }: Pick<Audience, 'lastNotified'>,
  appId: string,
  selection: Selection,
): Promise<void> {
  if (selection.kind === 'segment' && !(await lastNotified(appId, selection.segment))) throw queueUnavailable()
}

/**
 * A user, or whatever has devices, as the API shows them, with what the ledger knows of their devices where the app's notes are not complete. Fault
 * `queue_unavailable`: the tracker is away, and a moment that may be wrong is not shown.
 */
export async function withLastNotified<Owner extends { subscriptions: { id: string; lastNotifiedAt: string | null }[] }>(
  { db, bus }: { db: Db; bus: Pick<Bus, 'call'> },
  appId: string,
  user: Owner,
): Promise<Owner> {
  const subscriptionIds = user.subscriptions.map(({ id }) => id)
  if (subscriptionIds.length === 0 || (await isNoted(db, appId))) return user
  const { notified } = await bus.call(findLastNotified, { appId, subscriptionIds })
  const atOf = new Map(notified.map(({ subscriptionId, at }) => [subscriptionId, at]))
  const newer = (one: string | null, other: string | null) => (one === null || (other !== null && other > one) ? other : one)
  return {
    ...user,
    subscriptions: user.subscriptions.map((device) => ({
      ...device,
      lastNotifiedAt: newer(device.lastNotifiedAt, atOf.get(device.id) ?? null),
    })),
  }
}
