import { sql, type RawBuilder } from 'kysely'

type Sql = RawBuilder<unknown>

/**
 * The digest that says where a user lies in an experiment: contracts' `isInSample` and `variantOf` in SQL, for counts that must not bring a
 * million users into this process. The same numbers in the same order of sums, so that both always agree (experiment-sql.integration.test.ts).
 */
export const digestOf = (campaignId: string, userId: Sql): Sql => sql`sha256(convert_to(${`${campaignId}:`}::text || ${userId}, 'UTF8'))`

/** 48 bits of a digest as a number of 0 to 1, exclusive. */
const fraction = (digest: Sql, from: 1 | 7): Sql =>
  sql`(('x' || encode(substring(${digest} from ${sql.lit(from)} for 6), 'hex'))::bit(48)::bigint::float8 / ${sql.lit(2 ** 48)}::float8)`

/** Whether a digest lies in the sample of an experiment. */
export const inSample = (digest: Sql, sampleRate: number): Sql =>
  sampleRate >= 1 ? sql`true` : sql`(${fraction(digest, 1)} < ${sampleRate}::float8)`

/** The id of the variant that a digest gets. */
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
