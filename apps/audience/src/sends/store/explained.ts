import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { Attempt, FailureCode } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import { leavesOf, type Segment } from '@herald/contracts/segment'
import { sql } from 'kysely'
import { devicesMeant } from '../../segments/store/segment-sql.ts'
import type { Db } from '../../store/tables.ts'
import type { KnownDevice, KnownUser } from '../core/explain-device.ts'

/** Runs reads in one read-only snapshot, because an explanation must not show the fan-out of one moment and the batch of another. */
export const inOneSnapshot = <Answer>(db: Db, work: (snapshot: Db) => Promise<Answer>): Promise<Answer> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)

/** Finds those of these devices that belong to the app, without their addresses and keys. */
export const findDevicesToExplain = (db: Db, appId: string, ids: string[]): Promise<KnownDevice[]> =>
  db
    .selectFrom('subscriptions')
    .select([
      ...(['id', 'user_id as userId', 'platform', 'apns_environment as apnsEnvironment', 'registered_at as registeredAt'] as const),
      ...(['opted_in as optedIn', 'app_version as appVersion', 'sdk_version as sdkVersion', 'os_version as osVersion'] as const),
      ...(['device_model as deviceModel', 'browser', 'standalone', 'session_count as sessionCount'] as const),
      ...(['last_session_at as lastSessionAt', 'created_at as createdAt', 'last_active_at as lastActiveAt'] as const),
      ...(['invalidated_at as invalidatedAt', 'opted_out_at as optedOutAt', 'invalidated_code as invalidatedCode'] as const),
      ...(['invalidated_campaign_id as invalidatedCampaignId', 'told_at as toldAt'] as const),
    ])
    .where('id', '=', sql<string>`any(${ids})`)
    .where(sql<boolean>`app_id || '' = ${appId}`)
    .execute()

export const findUsersToExplain = (db: Db, appId: string, ids: string[]): Promise<KnownUser[]> =>
  db
    .selectFrom('users')
    .select([
      ...(['id', 'external_id as externalId', 'tags', 'language', 'timezone', 'country'] as const),
      ...(['created_at as createdAt', 'last_active_at as lastActiveAt', 'changed_at as changedAt', 'preferences'] as const),
    ])
    .where('id', '=', sql<string>`any(${ids})`)
    .where(sql<boolean>`app_id || '' = ${appId}`)
    .execute()

/** Finds when these devices were last sent to. A device without such a time is not in the answer. */
export async function findLastNotifiedOf(db: Db, ids: string[]): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('last_notified')
    .select(['subscription_id', 'at'])
    .where('subscription_id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Map(rows.map(({ subscription_id, at }) => [subscription_id, at]))
}

export async function findDeviceIds(db: Db, userId: string, most: number): Promise<string[]> {
  const rows = await db.selectFrom('subscriptions').select('id').where('user_id', '=', userId).orderBy('id').limit(most).execute()
  return rows.map(({ id }) => id)
}

/** Finds the fan-out of a send, without its content and target, and the database's time. */
export const findFanOutToExplain = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('fan_outs')
    .select([
      ...(['settings', 'started_at as startedAt', 'bound_id as boundId', 'cursor', 'page', 'state', 'flow'] as const),
      ...([
        'told_batches as toldBatches',
        'failure',
        'settled_at as settledAt',
        'waves',
        'past_waves as pastWaves',
        'wave',
        'per_minute as perMinute',
      ] as const),
      sql<Date>`now()`.as('now'),
    ])
    .where('campaign_id', '=', campaignId)
    .where(sql<boolean>`app_id || '' = ${appId}`)
    .where('page', '>', 0)
    .executeTakeFirst()

/** Reads the database's time. */
export async function getNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}

/** Finds with the SQL of sends which of these devices match a segment, and which match each leaf (single condition) of it, in the order written. */
export async function findMatches(
  db: Db,
  segment: Segment,
  { ids, now }: { ids: string[]; now: Date },
): Promise<{ meant: Set<string>; byLeaf: Set<string>[] }> {
  const from = { columns: sql`s.id`, from: sql`subscriptions s join users u on u.id = s.user_id`, where: sql`s.id = any(${ids}::text[])` }
  const leaves = segment.is === 'everyone' ? [] : leavesOf(segment)
  const asked = [segment, ...leaves].map((part) => sql`array(select f.id from ${devicesMeant(part, now, from)})`)
  const { rows } = await sql<{ meant: string[][] }>`
    select to_jsonb(array[${sql.join(asked.map((found) => sql`to_jsonb(${found})`))}]) as meant`.execute(db)
  const [meant = [], ...byLeaf] = rows[0]?.meant ?? []
  return { meant: new Set(meant), byLeaf: byLeaf.map((found) => new Set(found)) }
}

export type OpenBatch = {
  subscriptionId: string
  no: number
  queuedFor: string
  queuedAt: Date
  lane: Lane
  notBefore: Date | null
  turnAt: Date | null
  /** The rate of a send whose batch waits for its turn; null for another batch. */
  perMinute: number | null
  heldSince: Date | null
  tries: number
  leaseUntil: Date | null
  isLeased: boolean
  /** The provider's last answer to the pushes of the batch; null when there was none. */
  code: FailureCode | null
  providerCode: string | null
  trail: Attempt[] | null
  /** Whether the outcomes of the batch are decided and not yet reported to the ledger. */
  isDecided: boolean
}

/**
 * Finds a campaign's unfinished batches with pushes to these devices. `no`: the push's batch in the ledger, or null. `told`: the last batch in the
 * ledger; a push that it does not know is in a later one.
 */
export async function findOpenBatches(
  db: Db,
  { appId, campaignId, told }: { appId: string; campaignId: string; told: number },
  devices: { subscriptionId: string; no: number | null }[],
): Promise<Map<string, OpenBatch>> {
  const { rows } = await sql<OpenBatch>`
    select asked.id as "subscriptionId", b.batch_no as no, b.user_ids[array_position(b.subscription_ids, asked.id)] as "queuedFor",
      b.queued_at as "queuedAt", b.lane, b.not_before as "notBefore", b.turn_at as "turnAt",
      case when b.paced then (select f.per_minute from fan_outs f where f.campaign_id = b.campaign_id) end as "perMinute", b.held_since as "heldSince", b.tries, b.lease_until as "leaseUntil",
      coalesce(b.lease_until > now(), false) as "isLeased", b.last_code as code, nullif(b.last_provider_code, '') as "providerCode",
      b.trail, b.decided is not null as "isDecided"
    from unnest(${devices.map(({ subscriptionId }) => subscriptionId)}::text[], ${devices.map(({ no }) => no)}::int[]) as asked(id, no)
    cross join lateral (
      select * from batches
      where app_id = ${appId} and campaign_id = ${campaignId} and done_at is null
        and (batch_no = asked.no or (asked.no is null and batch_no > ${told})) and asked.id = any(subscription_ids)
      limit 1 offset 0
    ) as b`.execute(db)
  return new Map(rows.map((row) => [row.subscriptionId, row]))
}

export type OpenCircuit = {
  platform: Platform
  environment: CircuitEnvironment
  code: FailureCode | null
  since: Date
  probeAt: Date | null
}

export const findOpenCircuits = (db: Db, appId: string): Promise<OpenCircuit[]> =>
  db
    .selectFrom('circuits')
    .select(['platform', 'environment', 'code', 'since', 'probe_at as probeAt'])
    .where('app_id', '=', appId)
    .where('state', '=', 'open')
    .orderBy('environment')
    .execute()

/** At most this many claims are read for one answer: as many as the largest cap counts. */
const mostClaims = 1_000

/** Finds the newest cap claims of these users of an app, newest first, at most `mostClaims`. The caller picks those in the cap's window. */
export const findCapClaims = (db: Db, appId: string, userIds: string[]): Promise<{ userId: string; campaignId: string; at: Date }[]> =>
  db
    .selectFrom('cap_claims')
    .select(['user_id as userId', 'campaign_id as campaignId', 'at'])
    .where('app_id', '=', appId)
    .where('user_id', '=', sql<string>`any(${userIds})`)
    .orderBy('at', 'desc')
    .limit(mostClaims)
    .execute()
