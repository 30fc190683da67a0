import { setTimeout as sleep } from 'node:timers/promises'
import { findLastNotified, readNotified } from '@herald/contracts/calls/tracker'
import { leavesOf, type Segment } from '@herald/contracts/segment'
import type { Bus } from '@herald/service/bus'
import { transact } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { LRUCache } from 'lru-cache'
import { findReadTo, isNoted, keepRead, nameApp } from './store/last-notified.ts'
import type { Db } from './store/tables.ts'

/**
 * Whether audience knows `lastNotifiedAt` for all devices of the app; true when the segment does not ask for it. At an app's first question in six
 * days it reads the app's ledger, and waits at most `patienceMs` for that.
 */
export type LastNotified = (appId: string, segment: Segment) => Promise<boolean>

const patienceMs = 2_000
/**
 * A process that has found an app's notes complete remembers it for this long. An hour is safe, because the notes then stay complete for at least a
 * day.
 */
const rememberedMs = 3_600_000
/**
 * One process reads the ledgers of at most this many apps at once, because each portion of 5,000 pushes that it asks for takes the tracker about
 * 50 ms.
 */
const readAtOnce = 4

export function openLastNotified(
  { onStop, log }: Pick<Service, 'onStop' | 'log'>,
  { db, bus }: { db: Db; bus: Pick<Bus, 'call'> },
): LastNotified {
  const knownUntil = new LRUCache<string, number>({ max: 5_000 })
  const underWay = new Map<string, Promise<void>>()
  let isStopped = false
  onStop('last notified', () => {
    isStopped = true
    return Promise.allSettled(underWay.values())
  })

  /** Reads the sent pushes of an app's ledger in portions, newest campaign first, beginning where the last reading stopped. */
  const readBack = async (appId: string) => {
    for (let at = await findReadTo(db, appId); at && !isStopped; at = await findReadTo(db, appId)) {
      const place = { appId, ...at }
      const portion = await bus.call(readNotified, { appId, after: at.readTo })
      await transact(db, (trx) => keepRead(trx, place, portion))
    }
  }
  const inBackground = (appId: string): Promise<void> => {
    const known = underWay.get(appId)
    if (known || underWay.size >= readAtOnce || isStopped) return known ?? Promise.resolve()
    const running = readBack(appId)
      .catch((error: unknown) => log.debug({ appId, err: error }, 'reading the ledger back stopped, it goes on when the app asks again'))
      .finally(() => underWay.delete(appId))
    underWay.set(appId, running)
    return running
  }

  return async (appId, segment) => {
    if (!namesLastNotified(segment) || (knownUntil.get(appId) ?? 0) > performance.now()) return true
    const askedAt = performance.now()
    if (!(await nameApp(db, appId)).isRead) {
      await Promise.race([inBackground(appId), sleep(patienceMs, undefined, { ref: false })])
      if (!(await isNoted(db, appId))) return false
    }
    knownUntil.set(appId, askedAt + rememberedMs)
    return true
  }
}

const namesLastNotified = (segment: Segment): boolean =>
  segment.is !== 'everyone' && leavesOf(segment).some(({ field }) => field.on === 'device' && field.name === 'lastNotifiedAt')

export type WithDevices = { subscriptions: { id: string; lastNotifiedAt: string | null }[] }

/**
 * Completes `lastNotifiedAt` of devices: if the app's notes are not complete, it asks the tracker for the times in the ledger. Throws the
 * fault `queue_unavailable` when the tracker is away, because a wrong time must not be shown.
 */
export async function withLastNotified<Owner extends WithDevices>(
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

/**
 * Completes `lastNotifiedAt` like `withLastNotified`, but leaves the devices as they are while the tracker is away: the caller has made a change that
 * must be answered in any case.
 */
export const withLastNotifiedIfKnown: typeof withLastNotified = (audience, appId, user) =>
  withLastNotified(audience, appId, user).catch(() => user)

/** Completes `lastNotifiedAt` of one device. Throws the fault `queue_unavailable` when the tracker is away. */
export async function deviceWithLastNotified<Device extends { id: string; lastNotifiedAt: string | null }>(
  audience: { db: Db; bus: Pick<Bus, 'call'> },
  appId: string,
  device: Device,
): Promise<Device> {
  const [completed = device] = (await withLastNotified(audience, appId, { subscriptions: [device] })).subscriptions
  return completed
}
