import { engagementKinds, type EngagementKind, type EngagementLetter } from '@herald/contracts/event'
import type { Attempt } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Slots } from '../core/slots.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

export type ExplainedRow = Slots & { no: number; platform: Platform; devices: Buffer; users: Buffer }

/**
 * A search for a user reads at most this many rows of batches of more than 16 pushes, because no index by user has these rows. A row holds up to 500
 * pushes.
 */
const mostRanges = 10_000

/**
 * Finds the rows of a campaign that hold pushes to these devices or this user. Indexes find devices, and a user's pushes in batches of at most 16. A
 * user's larger batches need all the campaign's rows.
 */
export async function findExplainedRows(
  db: Db,
  { day, campaignId, subscriptionIds, userId }: { day: string; campaignId: string; subscriptionIds: string[]; userId: string | null },
): Promise<ExplainedRow[]> {
  const ids = [...new Set(subscriptionIds)].map(idBytes)
  const user = userId === null ? null : idBytes(userId)
  const columns = sql`l.batch_no as no, l.platform, l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped, l.devices, l.users`
  const ofCampaign = sql`l.day = ${day}::date and l.campaign_id = ${idBytes(campaignId)}`
  const { rows } = await sql<ExplainedRow>`
    select ${columns} from unnest(${ids}::bytea[]) as asked(id) cross join lateral (
      select * from ledger_batches l where ${ofCampaign} and l.first_id is null and l.devices = asked.id offset 0
    ) as l
    union
    select ${columns} from unnest(${ids}::bytea[]) as asked(id) cross join lateral (
      select * from ledger_batches l
      where ${ofCampaign} and l.first_id is not null and l.last_id >= asked.id and l.first_id <= asked.id and position(asked.id in l.devices) > 0
      offset 0
    ) as l
    ${
      user === null
        ? sql``
        : sql`
    union
    select ${columns} from ledger_batches l where ${ofCampaign} and l.first_id is null and l.users = ${user}
    union
    select ${columns} from (
      select * from ledger_batches l where ${ofCampaign} and l.first_id is not null limit ${sql.lit(mostRanges)}
    ) as l where position(${user} in l.users) > 0`
    }`.execute(db)
  return rows
}

/** A push, named by the number of its batch and its place in the batch. */
export type PlaceOfPush = { no: number; place: number }
export const nameOfPlace = ({ no, place }: PlaceOfPush): string => `${no}.${place}`

/** Gives the answers to the earlier attempts of these pushes, by `nameOfPlace`. Pushes that were attempted once are left out. */
export async function findAttempts(
  db: Db,
  { day, campaignId, pushes }: { day: string; campaignId: string; pushes: PlaceOfPush[] },
): Promise<Map<string, Attempt[]>> {
  const { rows } = await sql<PlaceOfPush & { trail: Attempt[] }>`
    select asked.no, asked.place, a.trail
    from unnest(${pushes.map(({ no }) => no)}::int[], ${pushes.map(({ place }) => place)}::smallint[]) as asked(no, place)
    cross join lateral (
      select trail from ledger_attempts
      where day = ${day}::date and campaign_id = ${idBytes(campaignId)} and batch_no = asked.no and place = asked.place offset 0
    ) as a`.execute(db)
  return new Map(rows.map(({ trail, ...push }) => [nameOfPlace(push), trail]))
}

/** Gives the reports that these devices sent about a campaign, by device, in the order in which they came. */
export async function findReports(
  db: Db,
  { day, campaignId, subscriptionIds }: { day: string; campaignId: string; subscriptionIds: string[] },
): Promise<Map<string, { kind: EngagementKind; at: Date }[]>> {
  const { rows } = await sql<{ subscriptionId: string; letter: EngagementLetter; at: Date }>`
    select encode(subscription_id, 'hex') as "subscriptionId", kind as letter, at from engagements
    where day = ${day}::date and campaign_id = ${idBytes(campaignId)} and subscription_id = any(${subscriptionIds.map(idBytes)}::bytea[])
    order by at, kind`.execute(db)
  const reports = rows.map(({ letter, ...report }) => ({ ...report, kind: engagementKinds[letter] }))
  return Map.groupBy(reports, ({ subscriptionId }) => subscriptionId)
}
