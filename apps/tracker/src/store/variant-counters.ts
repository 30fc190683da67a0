import { sql } from 'kysely'
import type { VariantTally } from '../core/tally.ts'
import type { Db } from './tables.ts'

const counted = ['sent', 'failed', 'skipped', 'delivered', 'opened', 'clicked', 'dismissed'] as const

/** Moves the counters of variants, making them when needed. Sorted by key, before the campaigns' own counters. */
export async function moveVariantCounters(db: Db, tallies: VariantTally[]): Promise<void> {
  if (tallies.length === 0) return
  const sorted = tallies.toSorted((one, other) => (`${one.campaignId} ${one.variant}` < `${other.campaignId} ${other.variant}` ? -1 : 1))
  await db
    .insertInto('variant_counters')
    .values(sorted.map(({ campaignId, variant, tally }) => ({ campaign_id: campaignId, variant, ...tally })))
    .onConflict((conflict) =>
      conflict
        .columns(['campaign_id', 'variant'])
        .doUpdateSet(Object.fromEntries(counted.map((name) => [name, sql`variant_counters.${sql.id(name)} + excluded.${sql.id(name)}`]))),
    )
    .execute()
}

export const findVariantCounters = (db: Db, campaignIds: string[]) =>
  db
    .selectFrom('variant_counters')
    .select(['campaign_id', 'variant', ...counted])
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .orderBy('campaign_id')
    .orderBy('variant')
    .execute()
