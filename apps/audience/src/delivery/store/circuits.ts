import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { Circuit as ShownCircuit, OpenCircuit } from '@herald/contracts/calls/audience'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Circuit } from '../core/circuit.ts'
import type { Invalidated } from '../../people/store/subscriptions.ts'
import type { Db } from '../../store/tables.ts'

export type CircuitKey = { appId: string; platform: Platform; environment: CircuitEnvironment }
export type CircuitRow = CircuitKey & Circuit
/** A locked circuit, and the database's time, which decides when the next probe may be made. */
export type LockedCircuit = CircuitRow & { now: Date }

export const nameOfCircuit = ({ appId, platform, environment }: CircuitKey): string => `${appId}.${platform}.${environment}`

const circuitColumns = sql`app_id as "appId", platform, environment, state, code, since, probe_at as "probeAt", answers,
  credentials_version as "credentialsVersion", refused_probes as "refusedProbes"`

/** Locks circuits in the order of their keys, and inserts missing ones. A transaction that also locks batches must lock the batches first. */
export async function lockCircuits(db: Db, keys: CircuitKey[]): Promise<LockedCircuit[]> {
  const { rows } = await sql<LockedCircuit>`
    insert into circuits (app_id, platform, environment)
    select * from unnest(
      ${keys.map(({ appId }) => appId)}::text[],
      ${keys.map(({ platform }) => platform)}::text[],
      ${keys.map(({ environment }) => environment)}::text[]
    ) order by 1, 2, 3
    on conflict (app_id, platform, environment) do update set app_id = excluded.app_id
    returning ${circuitColumns}, now() as now`.execute(db)
  return rows
}

/** Locks the open circuits of these apps and platforms, in the order of their keys. */
export async function lockOpenCircuits(db: Db, asked: { appId: string; platform: Platform }[]): Promise<LockedCircuit[]> {
  const { rows } = await sql<LockedCircuit>`
    select ${circuitColumns}, now() as now from circuits
    where state = 'open' and (app_id, platform) in (
      select * from unnest(${asked.map(({ appId }) => appId)}::text[], ${asked.map(({ platform }) => platform)}::text[])
    )
    order by app_id, platform, environment for no key update`.execute(db)
  return rows
}

/** Writes circuits that the transaction has locked. */
export const writeCircuits = (db: Db, circuits: CircuitRow[]) =>
  sql`
    update circuits c set state = told.state, code = told.code, since = told.since, probe_at = told.probe_at, answers = told.answers,
      credentials_version = told.credentials_version, refused_probes = told.refused_probes
    from unnest(
      ${circuits.map(({ appId }) => appId)}::text[],
      ${circuits.map(({ platform }) => platform)}::text[],
      ${circuits.map(({ environment }) => environment)}::text[],
      ${circuits.map(({ state }) => state)}::text[],
      ${circuits.map(({ code }) => code)}::text[],
      ${circuits.map(({ since }) => since.toISOString())}::timestamptz[],
      ${circuits.map(({ probeAt }) => probeAt?.toISOString() ?? null)}::timestamptz[],
      ${circuits.map(({ answers }) => answers)}::text[],
      ${circuits.map(({ credentialsVersion }) => credentialsVersion)}::bigint[],
      ${circuits.map(({ refusedProbes }) => refusedProbes)}::int[]
    ) as told(app_id, platform, environment, state, code, since, probe_at, answers, credentials_version, refused_probes)
    where c.app_id = told.app_id and c.platform = told.platform and c.environment = told.environment`.execute(db)

/**
 * Allows a probe now on each open circuit of an app (on one platform, or on all). For each circuit, one of the batches that dispatchers ask for next
 * becomes the probe. Answers how many circuits are open.
 */
export async function askForProbe(db: Db, { appId, platform }: { appId: string; platform: Platform | null }): Promise<number> {
  const { rows } = await sql`
    with open as (
      select environment, platform from circuits
      where app_id = ${appId} and state = 'open' and (${platform}::text is null or platform = ${platform})
      order by app_id, platform, environment for no key update
    )
    update circuits c set probe_at = now() from open
    where c.app_id = ${appId} and c.platform = open.platform and c.environment = open.environment
    returning c.environment`.execute(db)
  return rows.length
}

/** Lists an app's circuits. Each open circuit is shown with the number of pushes that are held on its platform. */
export async function listCircuits(db: Db, appId: string): Promise<ShownCircuit[]> {
  const { rows } = await sql<CircuitRow & { heldCount: number }>`
    select ${circuitColumns}, case when state = 'closed' then 0 else (
      select coalesce(sum(cardinality(b.subscription_ids)), 0) from batches b
      where b.app_id = c.app_id and b.platform = c.platform and b.held_since is not null and b.done_at is null
    ) end as "heldCount"
    from circuits c where app_id = ${appId} order by platform, environment`.execute(db)
  return rows.map(({ platform, environment, state, code, since, probeAt, heldCount }) => ({
    platform,
    environment,
    state,
    code,
    since: since.toISOString(),
    probeAt: probeAt?.toISOString() ?? null,
    heldCount,
  }))
}

/**
 * Lists at most `limit` open circuits, of all apps, those that opened last first. `count`: how many are open. The query reads no closed circuit,
 * because an index holds only the open ones.
 */
export async function listOpenCircuits(db: Db, limit = 100): Promise<{ circuits: OpenCircuit[]; count: number }> {
  const { rows } = await sql<CircuitRow & { count: number }>`
    select ${circuitColumns}, count(*) over () as count from circuits where state = 'open'
    order by since desc, app_id, platform, environment limit ${limit}`.execute(db)
  const circuits = rows.map(({ appId, platform, environment, code, since, probeAt }) => ({
    appId,
    platform,
    environment,
    code,
    since: since.toISOString(),
    probeAt: probeAt?.toISOString() ?? null,
  }))
  return { circuits, count: rows[0]?.count ?? 0 }
}

export async function countOpenCircuits(db: Db): Promise<{ platform: Platform; environment: CircuitEnvironment; count: number }[]> {
  const { rows } = await sql<{ platform: Platform; environment: CircuitEnvironment; count: number }>`
    select platform, environment, count(*) as count from circuits where state = 'open' group by platform, environment`.execute(db)
  return rows
}

/** Remembers the devices whose invalidation the mass guard allowed, so that it can be undone. */
export const insertGuarded = (db: Db, guarded: (Invalidated & CircuitKey)[]) =>
  sql`
    insert into guarded_invalidations (subscription_id, app_id, platform, environment, token_version)
    select * from unnest(
      ${guarded.map(({ id }) => id)}::text[],
      ${guarded.map(({ appId }) => appId)}::text[],
      ${guarded.map(({ platform }) => platform)}::text[],
      ${guarded.map(({ environment }) => environment)}::text[],
      ${guarded.map(({ tokenVersion }) => tokenVersion)}::int[]
    ) order by 1
    on conflict (subscription_id) do update set app_id = excluded.app_id, platform = excluded.platform,
      environment = excluded.environment, token_version = excluded.token_version, at = excluded.at`.execute(db)

/**
 * Undoes the invalidations that the mass guard allowed on a circuit: a device that was invalidated within the last 24 h is valid again if it still
 * has the same token. Answers how many devices are valid again.
 */
export async function undoGuarded(db: Db, { appId, platform, environment }: CircuitKey): Promise<number> {
  const { rows } = await sql`
    with undone as (
      delete from guarded_invalidations where app_id = ${appId} and platform = ${platform} and environment = ${environment}
      returning subscription_id, token_version, at
    ), meant as (
      select s.id from subscriptions s join undone on undone.subscription_id = s.id and undone.token_version = s.token_version
      where undone.at > now() - interval '24 hours'
      order by s.id for no key update of s
    )
    update subscriptions s set invalidated_at = null, refused_in = null from meant where s.id = meant.id
    returning s.id`.execute(db)
  return rows.length
}

/** Forgets invalidations that are older than 24 h and so cannot be undone any more; at most 5,000 at a time. Answers whether there may be more. */
export async function purgeGuarded(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from guarded_invalidations where subscription_id in (
      select subscription_id from guarded_invalidations where at <= now() - interval '24 hours' limit 5000
    )`.execute(db)
  return numAffectedRows === 5_000n
}
