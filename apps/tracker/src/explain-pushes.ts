import type { ExplainedPush } from '@herald/contracts/calls/tracker'
import { mostExplained } from '@herald/contracts/explain'
import { idAt, indexesOf, readEnds, slotAt } from './core/slots.ts'
import { findConversionsOfCampaign } from './store/conversions.ts'
import { findAttempts, findExplainedRows, findReports, nameOfPlace, type ExplainedRow } from './store/explained.ts'
import { findLedgerOf, idBytes } from './store/ledger.ts'
import type { Ledger } from './tracker.ts'

type Asked = { appId: string; campaignId: string; subscriptionIds: string[]; userId: string | null }
type Answer = { ledger: 'none' | 'kept' | 'past'; fannedOutAt: string | null; pushes: ExplainedPush[] }

/** Gives what the ledger says of a campaign's pushes to some devices and to a user. All of it is read in one snapshot. */
export const explainPushes = ({ db, retentionDays }: Ledger, asked: Asked): Promise<Answer> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const known = await findLedgerOf(snapshot, { ...asked, retentionDays })
      if (!known) return { ledger: 'none', fannedOutAt: null, pushes: [] }
      const fannedOutAt = known.fannedOutAt?.toISOString() ?? null
      if (!known.isKept) return { ledger: 'past', fannedOutAt, pushes: [] }

      const of = { day: known.day, campaignId: asked.campaignId }
      const rows = await findExplainedRows(snapshot, { ...asked, ...of })
      const found = rows.flatMap((row) => pushesOf(row, asked)).slice(0, mostExplained)
      if (found.length === 0) return { ledger: 'kept', fannedOutAt, pushes: [] }
      const trails = await findAttempts(snapshot, { ...of, pushes: found })
      const reports = await findReports(snapshot, { ...of, subscriptionIds: found.map(({ subscriptionId }) => subscriptionId) })
      const converted = await findConversionsOfCampaign(snapshot, { ...of, userIds: [...new Set(found.map(({ userId }) => userId))] })
      const pushes = found.map(({ place, ...push }): ExplainedPush => ({
        ...push,
        ...(converted.has(push.userId) && { conversions: converted.get(push.userId) ?? [] }),
        trail: trails.get(nameOfPlace({ no: push.no, place })) ?? [],
        reports: (reports.get(push.subscriptionId) ?? []).map(({ kind, at }) => ({ kind, at: at.toISOString() })),
      }))
      return { ledger: 'kept', fannedOutAt, pushes }
    })

function pushesOf(row: ExplainedRow, { subscriptionIds, userId }: Asked): (Omit<ExplainedPush, 'trail' | 'reports'> & { place: number })[] {
  const ends = readEnds(row)
  const ofDevices = subscriptionIds.flatMap((id) => indexesOf(row.devices, idBytes(id)))
  const ofUser = userId === null ? [] : indexesOf(row.users, idBytes(userId))
  return [...new Set([...ofDevices, ...ofUser])].map((index) => {
    const end = ends[slotAt(row, index) - 1]
    return {
      subscriptionId: idAt(row.devices, index),
      userId: idAt(row.users, index),
      platform: row.platform,
      no: row.no,
      place: row.place + index,
      end: end
        ? {
            outcome: end.outcome,
            code: end.code,
            providerCode: end.providerCode,
            attempts: end.attempts,
            at: new Date(end.at).toISOString(),
          }
        : null,
    }
  })
}
