import { sql } from 'kysely'
import type { Db, FanOut } from '../../store/tables.ts'

/** The totals of fan-outs that are over and not settled yet have been told (`markTold`, of many). Locks in the order of ids. */
export const markManyTold = (db: Db, told: Pick<FanOut, 'campaign_id' | 'page' | 'batches'>[]) =>
  sql`
    with told as materialized (
      select f.campaign_id, news.page, news.batches
      from unnest(
        ${told.map(({ campaign_id }) => campaign_id)}::text[], ${told.map(({ page }) => page)}::int[], ${told.map(({ batches }) => batches)}::int[]
      ) as news(campaign_id, page, batches)
        join fan_outs f on f.campaign_id = news.campaign_id
      where f.campaign_id = any(${told.map(({ campaign_id }) => campaign_id)}::text[]) and f.settled_at is null and f.page = news.page
      order by f.campaign_id for no key update of f
    )
    update fan_outs f set told_page = greatest(told_page, told.page), told_batches = greatest(told_batches, told.batches), due_at = null
    from told where f.campaign_id = any(array(select campaign_id from told)) and f.campaign_id = told.campaign_id and f.state = 'fanned_out'`.execute(
    db,
  )
