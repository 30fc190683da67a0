import { sql, type RawBuilder } from 'kysely'

type Sql = RawBuilder<unknown>

/**
 * Computes the digest that places a user in an experiment. `inSample` and `variantAt` compute with the same numbers in the same order as `isInSample`
 * and `variantOf` of libs/contracts, so SQL and TypeScript agree (experiment-sql.integration.test.ts).
 */
export const digestOf = (campaignId: string, userId: Sql): Sql => sql`sha256(convert_to(${`${campaignId}:`}::text || ${userId}, 'UTF8'))`

/** Turns 48 bits of a digest into a number from 0 to below 1. */
export const fraction = (digest: Sql, from: 1 | 7): Sql =>
  sql`(('x' || encode(substring(${digest} from ${sql.lit(from)} for 6), 'hex'))::bit(48)::bigint::float8 / ${sql.lit(2 ** 48)}::float8)`

/** Whether a user with this digest is in the sample of an experiment. */
export const inSample = (digest: Sql, sampleRate: number): Sql =>
  sampleRate >= 1 ? sql`true` : sql`(${fraction(digest, 1)} < ${sampleRate}::float8)`

/** Gives the id of the variant for a user with this digest. */
export function variantAt(digest: Sql, variants: readonly { id: string; weight: number }[]): Sql {
  const last = variants.at(-1)
  if (!last) throw new TypeError('an experiment has at least two variants')
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  let left = sql`${fraction(digest, 7)} * ${total}::float8`
  const cases = variants.map(({ id, weight }) => {
    left = sql`${left} - ${weight}::float8`
    return sql`when ${left} < 0 then ${id}::text`
  })
  return sql`case ${sql.join(cases, sql` `)} else ${last.id}::text end`
}
