import type { UnknownBatch } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { eventSubjects } from '@herald/contracts/topology'
import type { Attempt, BatchOutcomes, EndOfPlaces } from '@herald/contracts/outcome'
import { retried } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { outcomeEvent } from './core/event.ts'
import { hourMoves } from './core/hours.ts'
import { fillSlots, idAt, type Filled, type Fresh } from './core/slots.ts'
import { tally } from './core/tally.ts'
import { findLetGo, readRows, type ReadRow } from './store/ledger.ts'
import { writeOutcomes } from './store/outcomes.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

export type OutcomeCall = { batches: BatchOutcomes[] }
/** How many outcomes of a call were new, and which of its batches the ledger does not know. */
export type Recorded = { recorded: number; unknown?: UnknownBatch[] }
export const countOutcomes = ({ batches }: OutcomeCall): number =>
  batches.reduce((sum, { results }) => results.reduce((ofBatch, { places }) => ofBatch + places.length, sum), 0)

/**
 * A batch with everything that several calls report of it. For each entry of `ends`, `calls` has the index of its call, and `trails` the provider's
 * answers to earlier attempts of its pushes.
 */
type Told = Omit<BatchOutcomes, 'results' | 'trail'> & { ends: EndOfPlaces[]; calls: number[]; trails: (Attempt[] | undefined)[] }
/** A row of a batch in which some pushes have just ended. */
type Changed = { batch: Told; read: ReadRow } & Filled

/**
 * The outcomes of a day are read and written at most this many times. A try fails only when another transaction has changed a row of the ledger or of
 * `listeners` since the row was read.
 */
const mostTries = 10

/**
 * Writes the outcomes of several calls, those of a day in one transaction. A push keeps its first outcome, so calls may be repeated. The transaction
 * that makes a campaign's sums equal to its total settles it.
 */
export async function recordOutcomes(
  {
    frequentDb,
    remembered,
    followUp,
    retentionDays,
    stripe = 0,
  }: Pick<Tracker, 'frequentDb' | 'remembered' | 'followUp' | 'retentionDays'> & { stripe?: number },
  calls: OutcomeCall[],
): Promise<Recorded[]> {
  const recorded = calls.map((): Recorded => ({ recorded: 0 }))
  for (const [day, batches] of Map.groupBy(inOrder(calls), (batch) => batch.day)) {
    const { changed, unknown, ...follows } = await recordDay({ frequentDb, remembered, retentionDays }, day, batches, stripe)
    const outcomes = changed.flatMap(({ batch, fresh }) =>
      fresh.map((one) => ({ ...one, platform: batch.platform, count: one.places.length })),
    )
    followUp({ ...follows, outcomes })
    for (const { batch, fresh } of changed) {
      for (const { of, places } of fresh) {
        const call = recorded[batch.calls[of] ?? 0]
        if (call) call.recorded += places.length
      }
    }
    for (const { campaignId, no, calls: of } of unknown)
      for (const call of new Set(of)) (recorded[call]!.unknown ??= []).push({ campaignId, no })
  }
  return recorded
}

async function recordDay(
  { frequentDb: db, remembered, retentionDays }: Pick<Tracker, 'frequentDb' | 'remembered' | 'retentionDays'>,
  day: string,
  batches: Told[],
  stripe: number,
) {
  const asked = batches.map(({ campaignId, no, appId, ends }) => {
    return { campaignId, no, appId, types: [...new Set(ends.map(({ outcome }) => `notification.${outcome}`))].join(' ') }
  })
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const known = remembered.find(day, batches)
    const rows = known ?? (await readRows(db, day, asked, retentionDays))
    if (!known) remembered.read(rows, batches)
    // The report of an unknown batch is on its way, or the database has lost it. Nothing is written of a deleted app or past the retention: without
    // the ledger's row a repeat would count again.
    const unknown = await findUnknown(db, batches, rows, retentionDays)
    const changed = fill(batches, rows).filter(({ batch }) => !unknown.includes(batch))
    if (changed.length === 0) return { changed, unknown, announcements: [], settled: [] }
    const announcements = announcementsOf(eventSubjects.pushSettled, changed.flatMap(eventsOf))
    const { byCampaign, byVariant } = tally(changed.flatMap(countedOf))
    // Rows are read without a lock, or remembered, and written only if they have not changed since. The counters, for which all writers wait, come
    // last.
    const settled = await retried(() =>
      writeOutcomes(db, {
        day,
        listened: new Map(changed.map(({ batch, read }) => [batch.appId, read.listened])),
        filled: changed.map(({ batch, read, row }) => ({ campaignId: batch.campaignId, no: batch.no, row, was: filledSlots(read) })),
        retried: changed.flatMap(retriedOf),
        announcements,
        byCampaign,
        byVariant,
        ...hourMoves(changed.flatMap(inSeries)),
        stripe,
      }),
    )
    if (settled) {
      const written = new Map(changed.map(({ read, row }) => [read, row]))
      for (const [batch, ofBatch] of Map.groupBy(rows, ({ batch }) => batch))
        remembered.wrote(
          day,
          batches[batch]!,
          ofBatch.map((row) => written.get(row) ?? row),
        )
      return { changed, unknown, announcements, settled }
    }
    if (known) remembered.outdated(day, batches)
  }
  throw queueUnavailable()
}

const filledSlots = ({ sent, failed, skipped }: ReadRow): number => sent + failed + skipped

/** Merges what calls say of the same batch. The batches are in the order of the ledger's key: writers with one order never deadlock. */
function inOrder(calls: OutcomeCall[]): Told[] {
  const byKey = new Map<string, Told>()
  calls.forEach(({ batches }, call) => {
    for (const { results, trail, ...batch } of batches) {
      const key = batch.day + keyOf(batch)
      let told = byKey.get(key)
      if (!told) byKey.set(key, (told = { ...batch, ends: [], calls: [], trails: [] }))
      told.ends.push(...results)
      told.calls.push(...results.map(() => call))
      told.trails.push(...results.map(() => trail))
    }
  })
  return [...byKey.values()].toSorted(
    (one, other) => compare(one.day, other.day) || compare(one.campaignId, other.campaignId) || one.no - other.no,
  )
}

const keyOf = ({ campaignId, no }: { campaignId: string; no: number }): string => `${campaignId}.${no}`
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Fills the slots of rows, and gives the rows in which a slot was filled. */
function fill(batches: Told[], rows: ReadRow[]): Changed[] {
  return rows.flatMap((read) => {
    const batch = batches[read.batch]
    if (!batch) return []
    const filled = fillSlots(read, batch.ends, read.at.getTime())
    return filled.fresh.length > 0 ? [{ batch, read, ...filled }] : []
  })
}

/** Finds the batches of which the ledger lacks a push, unless their day is past the retention or their app is deleted. */
async function findUnknown(db: Db, batches: Told[], rows: ReadRow[], retentionDays: number): Promise<Told[]> {
  const sizes = batches.map(() => 0)
  for (const { batch, size } of rows) sizes[batch] = (sizes[batch] ?? 0) + size
  const unheld = batches.filter(({ ends }, index) => ends.some(({ places }) => places.some((place) => place >= (sizes[index] ?? 0))))
  if (unheld.length === 0) return []
  const letGo = await findLetGo(db, unheld, retentionDays)
  return unheld.filter(({ appId, day }) => !letGo.apps.has(appId) && !letGo.days.has(day))
}

/** Gives the pushes that have just ended and were attempted before, with the provider's earlier answers. Such pushes are rare. */
const retriedOf = ({ batch: { campaignId, no, trails }, fresh }: Changed) =>
  fresh.flatMap(({ of, places }) => {
    const trail = trails[of]
    return trail && trail.length > 0 ? [{ campaignId, no, places, trail }] : []
  })

const countedOf = ({ batch: { campaignId, platform }, fresh }: Changed) =>
  fresh.map(({ variant, outcome, places }) => ({ campaignId, variant, kind: outcome, endedOn: platform, count: places.length }))

/** Gives what the series of an app count. Tests are counted in no series (spec: administration/series-tests). */
const inSeries = ({ batch: { campaignId, appId, platform, test }, fresh }: Changed) =>
  test ? [] : fresh.map(({ outcome: kind, code, places }) => ({ campaignId, appId, platform, kind, code, count: places.length }))

function eventsOf({ batch, read: { place, heard, devices, users, at }, fresh }: Changed) {
  if (!heard || !devices || !users) return []
  const time = at.toISOString()
  const isHeard = ({ outcome }: Fresh) => heard.includes('*') || heard.includes(`notification.${outcome}`)
  return fresh.filter(isHeard).flatMap((one) =>
    one.places.map((of) => {
      const ids = { subscriptionId: idAt(devices, of - place), userId: idAt(users, of - place) }
      return outcomeEvent(batch, { ...one, ...ids }, time)
    }),
  )
}
