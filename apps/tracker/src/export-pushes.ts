import { invalidField } from '@herald/contracts/fault'
import type { ExportedPush } from '@herald/contracts/person'
import type { Platform } from '@herald/contracts/platform'
import { pushId, readCursor, type PushPlace } from './core/page-cursor.ts'
import { idAt, readEnds, slotAt, type TimedEnd } from './core/slots.ts'
import { findPushes } from './find-pushes.ts'
import { findReports, type Report } from './store/engagements.ts'
import { findRowsAfter, type WholeRow } from './store/exported-rows.ts'
import { findLedgerOf } from './store/ledger.ts'
import type { Db } from './store/tables.ts'
import type { Ledger } from './tracker.ts'

type Portion = { pushes: ExportedPush[]; next: string | null }

/** A portion of an export of a campaign's pushes has about this many pushes. */
const ofOneCampaign = 1_000
/** A portion of an export of one device's pushes has at most this many pushes. */
const ofOneDevice = 500

/**
 * Gives the next pushes of a user to one device that have an outcome, newest campaign first (spec: administration/export-person). Fault: invalid_body
 * at `after`.
 */
export async function exportPushesOfDevice(
  { db, retentionDays }: Ledger,
  { appId, userId, subscriptionId, after }: { appId: string; userId: string; subscriptionId: string; after: string | null },
): Promise<Portion> {
  const filter = { appId, userId, subscriptionId, after: placeOf(after), limit: ofOneDevice, retentionDays }
  const { page, examinedTo } = await findPushes(db, filter)
  const pushes = page.map(({ row, end, ...push }) => ({ day: row.day, platform: row.platform, end, ...push }))
  return { pushes: await withReports(db, pushes), next: examinedTo ? pushId(examinedTo) : null }
}

/**
 * Gives the next pushes of a campaign in the order in which they were queued, also those without an outcome (spec: administration/export-pushes).
 * Pushes queued meanwhile come last. Null when the campaign is past the retention. Fault: invalid_body at `after`.
 */
export async function exportPushesOfCampaign(
  { db, retentionDays }: Ledger,
  { appId, campaignId, after }: { appId: string; campaignId: string; after: string | null },
): Promise<Portion | null> {
  const ledger = await findLedgerOf(db, { appId, campaignId, retentionDays })
  // No fan-out has reported this campaign, or it belongs to another app.
  if (!ledger) return { pushes: [], next: null }
  if (!ledger.isKept) return null
  const from = placeOf(after)
  if (from && from.campaignId !== campaignId) throw notAPlace()
  const { rows, isMore } = await findRowsAfter(
    db,
    { day: ledger.day, campaignId, no: from?.no ?? 0, place: from?.place ?? -1 },
    ofOneCampaign,
  )
  const pushes = rows.flatMap((row) =>
    pushesOf(row, { day: ledger.day, campaignId }).filter(({ no, place }) => isAfter({ no, place }, from)),
  )
  const last = pushes.at(-1)
  return { pushes: await withReports(db, pushes), next: isMore && last ? pushId(last) : null }
}

const notAPlace = () => invalidField('after', 'must be the id of a push of an earlier export')

function placeOf(after: string | null): PushPlace | undefined {
  const place = after === null ? undefined : readCursor(after)
  if (after !== null && !place) throw notAPlace()
  return place
}

const isAfter = ({ no, place }: Pick<PushPlace, 'no' | 'place'>, from: PushPlace | undefined): boolean =>
  !from || no > from.no || (no === from.no && place > from.place)

/** A push of the ledger. `end` is undefined while the push has no outcome. */
type Found = PushPlace & { day: string; subscriptionId: string; userId: string; platform: Platform; end: TimedEnd | undefined }

function pushesOf(row: WholeRow, { day, campaignId }: { day: string; campaignId: string }): Found[] {
  const ends = readEnds(row)
  return Array.from({ length: row.size }, (_, index) => ({
    ...{ day, campaignId, no: row.no, place: row.place + index, platform: row.platform },
    subscriptionId: idAt(row.devices, index),
    userId: idAt(row.users, index),
    end: ends[slotAt(row, index) - 1],
  }))
}

async function withReports(db: Db, pushes: Found[]): Promise<ExportedPush[]> {
  const reports = await findReports(db, pushes)
  return pushes.map((push) => shown(push, reports.get(push.campaignId + push.subscriptionId) ?? []))
}

const shown = ({ campaignId, no, place, subscriptionId, userId, platform, end }: Found, reports: Report[]): ExportedPush => ({
  id: pushId({ campaignId, no, place }),
  ...{ campaignId, subscriptionId, userId, platform },
  variant: end?.variant || null,
  outcome: end?.outcome ?? 'open',
  code: end?.code || null,
  providerCode: end?.providerCode || null,
  attempts: end?.attempts ?? 0,
  settledAt: end ? new Date(end.at).toISOString() : null,
  engagements: reports.map(({ kind, at }) => ({ kind, at: at.toISOString() })),
})
