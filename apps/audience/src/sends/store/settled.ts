import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

/**
 * Marks the fan-outs of settled campaigns as settled, so that no page of them is made and the sweep does not point at them any more. If all
 * batches of a campaign are finished, the same statement deletes them and the frozen send; `clearSettled` does it later for the others. The
 * settings and the waves stay as long as the row, so that explain can say why and when a device got the send. Locks the rows in the order
 * of their ids.
 */
export const settleFanOuts = (db: Db, campaignIds: string[]) =>
  sql`
    with settled as materialized (
      select campaign_id, not exists (select from batches b where b.campaign_id = f.campaign_id and b.done_at is null offset 0) as over
      from fan_outs f where campaign_id = any(${campaignIds}::text[]) order by campaign_id for no key update of f
    ), dropped as (
      delete from batches b where b.campaign_id = any(array(select campaign_id from settled where over))
    )
    update fan_outs f set settled_at = coalesce(settled_at, now()), lease_until = null, due_at = null,
      send = case when over then null else send end, target = case when over then null else target end
    from settled where f.campaign_id = any(array(select campaign_id from settled)) and f.campaign_id = settled.campaign_id`.execute(db)

const clearedAtOnce = 500

/**
 * Deletes the frozen sends and targets of settled fan-outs whose batches are all finished, and these batches; at most 500 fan-outs at a time. Answers
 * whether there may be more. The rows stay, so that a late repeat of a pointer sends nothing twice. A sweep does this, because an additional commit
 * for each settlement cost a one-device send 2.3 ms. The statement finds its fan-outs by a partial index, which holds only the settled fan-outs that
 * still have their send.
 */
export async function clearSettled(db: Db): Promise<boolean> {
  const { rows } = await sql`
    with over as (
      select campaign_id from fan_outs f
      where settled_at is not null and send is not null
        and not exists (select from batches b where b.campaign_id = f.campaign_id and b.done_at is null offset 0)
      limit ${clearedAtOnce} for update skip locked
    ), dropped as (
      delete from batches where campaign_id = any(array(select campaign_id from over))
    )
    update fan_outs f set send = null, target = null where f.campaign_id = any(array(select campaign_id from over))
    returning f.campaign_id`.execute(db)
  return rows.length === clearedAtOnce
}

/**
 * Deletes the wave claims of a settled campaign, 5,000 at a time, because there may be a million. Answers whether there may be more. The column
 * `waves` stays until the claims are deleted, so that this statement finds the campaign again; then its value moves to `past_waves`.
 */
export async function clearWaves(db: Db): Promise<boolean> {
  const { rows } = await sql<{ dropped: number }>`
    with over as (
      select campaign_id from fan_outs where settled_at is not null and waves is not null limit 1 for update skip locked
    ), dropped as (
      delete from wave_claims
      where ctid = any(array(select ctid from wave_claims where campaign_id = (select campaign_id from over) limit 5000))
      returning 1
    ), counted as (select count(*) as dropped from dropped)
    update fan_outs f set waves = case when counted.dropped < 5000 then null else f.waves end,
      past_waves = case when counted.dropped < 5000 then f.waves end
    from over, counted where f.campaign_id = over.campaign_id
    returning counted.dropped`.execute(db)
  return rows.length > 0
}

const purgedAtOnce = 5_000

/** Deletes fan-outs that were settled more than `retentionDays` ago, the oldest first; at most 5,000 at once. Answers whether there may be more. */
export async function purgeFanOuts(db: Db, retentionDays: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from fan_outs where campaign_id in (
      select campaign_id from fan_outs where settled_at < now() - make_interval(days => ${retentionDays})
      order by settled_at limit ${sql.lit(purgedAtOnce)}
    )`.execute(db)
  return Number(numAffectedRows) === purgedAtOnce
}
