import { findLastNotified, readNotified } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { rememberListeners } from '@herald/service/listeners'
import { sql } from 'kysely'
import type { Db } from '../store/tables.ts'

type Notified = { at: string; subscriptionIds: string[] }

/**
 * Plays the tracker: answers the calls with which audience asks which devices were sent to. Gives a map that tests fill: for each app the sent pushes,
 * in portions, newest first.
 */
export function playLedger(tracker: Bus, state: { trackerIsAway: boolean; notifiedAnswersAfter: Promise<void>; askedNotified: number }) {
  const notified = new Map<string, Notified[][]>()
  tracker.answer(readNotified, async ({ appId, after }) => {
    state.askedNotified += 1
    await state.notifiedAnswersAfter
    if (state.trackerIsAway) throw queueUnavailable()
    const portions = notified.get(appId) ?? []
    const place = Number(after ?? 0)
    return { notified: portions[place] ?? [], next: place + 1 < portions.length ? String(place + 1) : null }
  })
  tracker.answer(findLastNotified, async ({ appId, subscriptionIds }) => {
    if (state.trackerIsAway) throw queueUnavailable()
    const pushes = (notified.get(appId) ?? [])
      .flat()
      .flatMap(({ at, subscriptionIds: ids }) => ids.map((id) => ({ subscriptionId: id, at })))
    const newest = pushes.toSorted((one, other) => other.at.localeCompare(one.at))
    return { notified: subscriptionIds.flatMap((id) => newest.find(({ subscriptionId }) => subscriptionId === id) ?? []) }
  })
  return notified
}

/** Stores that an app has a webhook endpoint that asks for all events. */
export const givenEndpoint = (db: Db, appId: string) => rememberListeners(db, [{ appId, version: 1, eventTypes: ['*'] }])

/** Stores that an app asks for `lastNotifiedAt`, and that its ledger was read completely. */
export const givenAsking = (db: Db, appId: string) =>
  sql`insert into notified_apps (app_id, named_at, is_read) values (${appId}, now(), true)`.execute(db)

/** Stores that devices were sent to now. */
export const givenNotified = (db: Db, subscriptionIds: string[]) =>
  sql`insert into last_notified (subscription_id, at) select unnest(${subscriptionIds}::text[]), now()`.execute(db)
