import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'

/**
 * Marks the fan-outs of settled campaigns, and deletes batches and send if all batches are finished (otherwise `clearSettled` does). Settings and
 * waves stay with the row for explain. Locks the rows in the order of their ids.
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
 * Deletes sends, targets and batches of at most 500 settled fan-outs whose batches are finished, and answers whether there may be more. A commit at
 * each settlement instead cost a one-device send 2.3 ms. A partial index finds them.
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
 * Deletes a settled campaign's wave claims, 5,000 at a time of maybe a million, and answers whether there may be more. `waves` moves to `past_waves`
 * only at the end, so that this statement finds the campaign again.
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

const lookedAtOnce = 2_000
/** At most this many batches are opened in one statement. The others follow when these are finished: the send has an open batch until then. */
const openedAtOnce = 5_000
/** A batch that was opened again has at least this number of takes, so that it is opened again once. */
const openedAgainTakes = 1_000

/**
 * Opens again the batches of unsettled sends that all finished 20 s ago or earlier: the database lost their outcomes (spec: running/lost-rows). Looks
 * at 2,000 sends after `after`. `last`: the last of them; undefined at the end.
 */
export async function openUnsettled(
  db: Db,
  after: string,
): Promise<{ opened: { campaignId: string; batches: number }[]; last: string | undefined }> {
  const { rows } = await sql<{ last: string | null; opened: { campaignId: string; batches: number }[] | null }>`
    with looked as materialized (
      select campaign_id, state from fan_outs where due_at is null and settled_at is null and campaign_id > ${after}
      order by campaign_id limit ${lookedAtOnce}
    ), unsettled as materialized (
      select campaign_id from looked where state = 'fanned_out' and not exists (
        select from batches b where b.campaign_id = looked.campaign_id and (b.done_at is null or b.done_at > now() - interval '20 seconds') offset 0
      )
    ), opened as (
      update batches b set done_at = null, takes = b.takes + ${openedAgainTakes}, lease_until = null, not_before = null, due_at = now()
      where b.id = any(array(
        select id from batches where campaign_id = any(array(select campaign_id from unsettled)) and takes < ${openedAgainTakes}
        limit ${openedAtOnce}
      ))
      returning b.campaign_id
    )
    select (select max(campaign_id) from looked having count(*) = ${lookedAtOnce}) as last,
      (select json_agg(json_build_object('campaignId', campaign_id, 'batches', n)) from (
        select campaign_id, count(*) as n from opened group by campaign_id order by campaign_id) as of_send) as opened`.execute(db)
  return { opened: rows[0]?.opened ?? [], last: rows[0]?.last ?? undefined }
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
