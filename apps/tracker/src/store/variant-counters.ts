import { sql } from 'kysely'
import type { VariantTally } from '../core/tally.ts'
import type { Db } from './tables.ts'

const counted = ['sent', 'failed', 'skipped', 'delivered', 'opened', 'clicked', 'dismissed'] as const

/** How counters of variants move, as statements of migrations/0090 take it: sorted by key. */
export const variantMovesOf = (tallies: VariantTally[]): string =>
  JSON.stringify(
    tallies
      .toSorted((one, other) => (`${one.campaignId} ${one.variant}` < `${other.campaignId} ${other.variant}` ? -1 : 1))
      .map(({ campaignId, variant, tally }) => ({ campaign_id: campaignId, variant, ...tally })),
  )

export const findVariantCounters = (db: Db, campaignIds: string[]) =>
  db
    .selectFrom('variant_counters')
    .select(['campaign_id', 'variant', ...counted])
    .where('campaign_id', '=', sql<string>`any(${campaignIds})`)
    .orderBy('campaign_id')
    .orderBy('variant')
    .execute()
