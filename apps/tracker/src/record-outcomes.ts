import { eventSubjects } from '@herald/contracts/topology'
import type { BatchOutcomes, EndOfPlaces } from '@herald/contracts/outcome'
import { findListeners, type IsHeard } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { outcomeEvent } from './core/event.ts'
import { fillSlots, idAt, type Fresh } from './core/slots.ts'
import { tally } from './core/tally.ts'
import type { FollowUp } from './follow-up.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { insertSettlements, moveCounters } from './store/counters.ts'
import { findLetGo, lockRows, updateRows, type LockedRow } from './store/ledger.ts'
import { moveVariantCounters } from './store/variant-counters.ts'
import type { Db } from './store/tables.ts'

export type OutcomeCall = { batches: BatchOutcomes[] }
export const countOutcomes = ({ batches }: OutcomeCall): number =>
  batches.reduce((sum, { results }) => results.reduce((ofBatch, { places }) => ofBatch + places.length, sum), 0)

/** A batch with everything that calls tell of it: `calls` names the call of each of `ends`. */
type Told = Omit<BatchOutcomes, 'results'> & { ends: EndOfPlaces[]; calls: number[] }
/** Pushes of a row that ended now. */
type Ended = { batch: Told; row: LockedRow; fresh: Fresh }

/**
 * Writes the outcomes of several calls in one transaction: the slots of the ledger, one announcement of what was new and somebody listens to, and the counters,
 * last, since everybody waits for those rows. A push that already has an outcome keeps it and moves nothing, so any call may
 * come any number of times. Whoever moves a campaign's sums to its total settles it. Answers per call how many outcomes were new.
 *
 * What comes for a campaign past the ledger's retention is answered and not written, and counts nowhere: without its row a repeat could
 * not be told from it. Such a campaign was settled when its day was dropped (keep-house.ts).
 *
 * A batch without its rows is a mistake (audience reports a batch before it hands out its pushes): nothing is written.
 */
export async function recordOutcomes(
  { db, followUp, retentionDays }: { db: Db; followUp: FollowUp; retentionDays: number },
  calls: OutcomeCall[],
): Promise<{ recorded: number }[]> {
  const batches = inOrder(calls)
  const committed = await transact(db, async (trx) => {
    const isHeard = await findListeners(
      trx,
      batches.map(({ appId }) => appId),
    )
    const ended: Ended[] = []
    for (const [day, ofDay] of Map.groupBy(batches, (batch) => batch.day))
      ended.push(...(await fill(trx, day, ofDay, isHeard, retentionDays)))
    if (ended.length === 0) return { ended, announcements: [], settled: [] }

    const heard = ended.filter(({ batch, fresh }) => isHeard(batch.appId, `notification.${fresh.outcome}`))
    const announcements = announcementsOf(eventSubjects.pushSettled, heard.flatMap(eventsOf))
    await insertAnnouncements(trx, announcements)

    const moves = tally(
      ended.map(({ batch, fresh }) => ({
        campaignId: batch.campaignId,
        variant: fresh.variant,
        kind: fresh.outcome,
        settles: batch.platform,
        count: fresh.places.length,
      })),
    )
    await moveVariantCounters(trx, moves.byVariant)
    const counters = await moveCounters(trx, moves.byCampaign)
    if (counters.length < moves.byCampaign.size)
      throw new Error(`outcomes of a campaign without totals: ${missing(moves.byCampaign, counters)}`)
    const settled = counters.filter(({ complete }) => complete).map(({ campaignId }) => campaignId)
    if (settled.length > 0) await insertSettlements(trx, settled)
    return { ended, announcements, settled }
  })

  const { ended, announcements, settled } = committed
  const outcomes = ended.map(({ batch, fresh }) => ({ ...fresh, platform: batch.platform, count: fresh.places.length }))
  followUp({ announcements, settled, outcomes })
  const recorded = calls.map(() => 0)
  for (const { batch, fresh } of ended) {
    const call = batch.calls[fresh.of] ?? 0
    recorded[call] = (recorded[call] ?? 0) + fresh.places.length
  }
  return recorded.map((count) => ({ recorded: count }))
}

/** Each batch once, in the order of the ledger's key: writers in one order never deadlock. */
function inOrder(calls: OutcomeCall[]): Told[] {
  const byKey = new Map<string, Told>()
  calls.forEach(({ batches }, call) => {
    for (const { results, ...batch } of batches) {
      const key = batch.day + keyOf(batch)
      let told = byKey.get(key)
      if (!told) byKey.set(key, (told = { ...batch, ends: [], calls: [] }))
      told.ends.push(...results)
      told.calls.push(...results.map(() => call))
    }
  })
  return [...byKey.values()].toSorted(
    (one, other) => compare(one.day, other.day) || compare(one.campaignId, other.campaignId) || one.no - other.no,
  )
}

const keyOf = ({ campaignId, no }: { campaignId: string; no: number }): string => `${campaignId}.${no}`
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Fills the slots of one day's batches, and answers what was new. */
async function fill(trx: Db, day: string, batches: Told[], isHeard: IsHeard, retentionDays: number): Promise<Ended[]> {
  const asked = batches.map(({ appId, campaignId, no, ends }) => {
    return { campaignId, no, isAnnounced: ends.some(({ outcome }) => isHeard(appId, `notification.${outcome}`)) }
  })
  const rows = Map.groupBy(await lockRows(trx, day, asked, retentionDays), keyOf)
  await refuseUnknown(
    trx,
    batches.filter((batch) => !holds(rows.get(keyOf(batch)), batch)),
    retentionDays,
  )
  const filled = batches.flatMap((batch) =>
    (rows.get(keyOf(batch)) ?? []).map((row) => ({ batch, row, ...pick(fillSlots(row, batch.ends, row.at.getTime())) })),
  )
  const changed = filled.filter(({ fresh }) => fresh.length > 0)
  if (changed.length > 0)
    await updateRows(
      trx,
      day,
      changed.map(({ row, slots }) => ({ ...slots, ctid: row.ctid })),
    )
  return changed.flatMap(({ batch, row, fresh }) => fresh.map((one) => ({ batch, row, fresh: one })))
}

const pick = ({ row, fresh }: ReturnType<typeof fillSlots>) => ({ slots: row, fresh })

/** Whether the rows of a batch hold every push that is told of. */
function holds(rows: LockedRow[] = [], { ends }: Told): boolean {
  const size = rows.reduce((sum, row) => sum + row.size, 0)
  return ends.every(({ places }) => places.every((place) => place < size))
}

/** Batches past the retention and of deleted apps are let go; any other that the ledger does not know is a mistake. */
async function refuseUnknown(trx: Db, batches: Told[], retentionDays: number): Promise<void> {
  if (batches.length === 0) return
  const letGo = await findLetGo(trx, batches, retentionDays)
  const unknown = batches.filter(({ appId, day }) => !letGo.apps.has(appId) && !letGo.days.has(day))
  if (unknown.length > 0) throw new Error(`outcomes of pushes that were never reported: ${unknown.map(keyOf).join(', ')}`)
}

function eventsOf({ batch, row, fresh }: Ended) {
  const { devices, users } = row
  if (!devices || !users) return []
  const at = row.at.toISOString()
  return fresh.places.map((place) => {
    const index = place - row.place
    return outcomeEvent(batch, { ...fresh, subscriptionId: idAt(devices, index), userId: idAt(users, index) }, at)
  })
}

const missing = (wanted: Map<string, unknown>, found: { campaignId: string }[]): string => {
  const known = new Set(found.map(({ campaignId }) => campaignId))
  return [...wanted.keys()].filter((campaignId) => !known.has(campaignId)).join(', ')
}
