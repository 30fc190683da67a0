import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { Attempt, FailureCode } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import { leavesOf, type Segment } from '@herald/contracts/segment'
import { sql, type Selectable } from 'kysely'
import { devicesMeant } from '../../segments/store/segment-sql.ts'
import type { Db, FanOut, SubscriptionTable, UserTable } from '../../store/tables.ts'

/** Reads in one snapshot that writes nothing: what is explained must not show the page of one moment and the batch of another. */
export const inOneSnapshot = <Answer>(db: Db, work: (snapshot: Db) => Promise<Answer>): Promise<Answer> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)

export type DeviceToExplain = Omit<Selectable<SubscriptionTable>, 'address' | 'address_hash' | 'p256dh' | 'auth'>

/** The devices of an app among these, without what they are reached by. */
export const findDevicesToExplain = (db: Db, appId: string, ids: string[]): Promise<DeviceToExplain[]> =>
  db
    .selectFrom('subscriptions')
    .select([
      ...([
        'id',
        'app_id',
        'user_id',
        'platform',
        'token_version',
        'apns_environment',
        'registered_at',
        'opted_in',
        'app_version',
      ] as const),
      ...([
        'sdk_version',
        'os_version',
        'device_model',
        'browser',
        'standalone',
        'session_count',
        'last_session_at',
        'created_at',
      ] as const),
      ...(['last_active_at', 'invalidated_at', 'opted_out_at', 'invalidated_code', 'invalidated_campaign_id', 'told_at'] as const),
    ])
    .where('id', '=', sql<string>`any(${ids})`)
    .where(sql<boolean>`app_id || '' = ${appId}`)
    .execute()

export const findUsersToExplain = (db: Db, appId: string, ids: string[]): Promise<Selectable<UserTable>[]> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', sql<string>`any(${ids})`)
    .where(sql<boolean>`app_id || '' = ${appId}`)
    .execute()

/** When these devices were last sent to, of those of which it is noted. */
export async function findLastNotifiedOf(db: Db, ids: string[]): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('last_notified')
    .select(['subscription_id', 'at'])
    .where('subscription_id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Map(rows.map(({ subscription_id, at }) => [subscription_id, at]))
}

/** The ids of a user's devices, at most so many. */
export async function findDeviceIds(db: Db, userId: string, most: number): Promise<string[]> {
  const rows = await db.selectFrom('subscriptions').select('id').where('user_id', '=', userId).orderBy('id').limit(most).execute()
  return rows.map(({ id }) => id)
}

export type FanOutToExplain = Omit<FanOut, 'send' | 'target'> & { now: Date }

export const findFanOutToExplain = (db: Db, appId: string, campaignId: string): Promise<FanOutToExplain | undefined> =>
  db
    .selectFrom('fan_outs')
    .select([
      ...([
        'campaign_id',
        'app_id',
        'day',
        'settings',
        'started_at',
        'bound_id',
        'cursor',
        'page',
        'queued_ios',
        'queued_android',
      ] as const),
      ...([
        'queued_web',
        'lane',
        'state',
        'told_page',
        'batches',
        'told_batches',
        'failure',
        'lease_until',
        'due_at',
        'pointer_no',
      ] as const),
      ...(['settled_at', 'failures', 'last_failure', 'flow', 'flow_no', 'waves', 'past_waves', 'wave'] as const),
      sql<Date>`now()`.as('now'),
    ])
    .where('campaign_id', '=', campaignId)
    .where(sql<boolean>`app_id || '' = ${appId}`)
    .executeTakeFirst()

/** The database's time. */
export async function getNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}

/** Which of some devices a segment means, and each of its leaves by itself, in the order written: by the statements that find a send's devices. */
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
  heldSince: Date | null
  tries: number
  leaseUntil: Date | null
  isLeased: boolean
  /** What its pushes heard last; null: nothing, or it is no retry. */
  code: FailureCode | null
  providerCode: string | null
  trail: Attempt[] | null
  /** Its end is known, and on its way to the ledger. */
  isDecided: boolean
}

/**
 * The batches of a campaign that are not done and hold these devices. `no`: the batch that the ledger says a push is in; one that the ledger does not know
 * may be in a batch that it was not told of yet, above `told`.
 */
export async function findOpenBatches(
  db: Db,
  { appId, campaignId, told }: { appId: string; campaignId: string; told: number },
  devices: { subscriptionId: string; no: number | null }[],
): Promise<Map<string, OpenBatch>> {
  const { rows } = await sql<OpenBatch>`
    select asked.id as "subscriptionId", b.batch_no as no, b.user_ids[array_position(b.subscription_ids, asked.id)] as "queuedFor",
      b.queued_at as "queuedAt", b.lane, b.not_before as "notBefore", b.held_since as "heldSince", b.tries, b.lease_until as "leaseUntil",
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

/** Claims that are read for one answer, at most: as many as the largest cap counts. */
const mostClaims = 1_000

/** What counts against the frequency cap of some users of an app, newest first. */
export const findCapClaims = (db: Db, appId: string, userIds: string[]): Promise<{ userId: string; campaignId: string; at: Date }[]> =>
  db
    .selectFrom('cap_claims')
    .select(['user_id as userId', 'campaign_id as campaignId', 'at'])
    .where('app_id', '=', appId)
    .where('user_id', '=', sql<string>`any(${userIds})`)
    .orderBy('at', 'desc')
    .limit(mostClaims)
    .execute()
