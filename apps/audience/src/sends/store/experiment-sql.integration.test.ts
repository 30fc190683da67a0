import { isInSample, variantOf } from '@herald/contracts/experiment'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openAudience } from '../../testing/rig.ts'
import { digestOf, inSample, variantAt } from './experiment-sql.ts'

const { db } = await openAudience()

// spec: experiments/assignment, sending/dry-run
test('the database puts 5,000 users into the same samples and variants as a send does, for several rates and weights', async () => {
  const campaignId = newId()
  const userIds = Array.from({ length: 5_000 }, () => newId())
  const weights = [
    [1, 1],
    [0.1, 0.2, 0.7],
    [3, 1000, 0.001, 17],
  ]
  for (const [place, sampleRate] of [0.01, 0.3333, 1].entries()) {
    const variants = (weights[place] ?? []).map((weight, index) => ({ id: `v${index}`, weight }))
    const { rows } = await sql<{ id: string; sampled: boolean; variant: string }>`
      select id, ${inSample(sql`digest`, sampleRate)} as sampled, ${variantAt(sql`digest`, variants)} as variant
      from (select id, ${digestOf(campaignId, sql`id`)} as digest from unnest(${userIds}::text[]) as id) as users`.execute(db)

    const expected = userIds.map((id) => ({
      id,
      sampled: isInSample(sampleRate, campaignId, id),
      variant: variantOf(variants, campaignId, id).id,
    }))
    expect(rows).toEqual(expected)
    expect(new Set(rows.map(({ variant }) => variant)).size).toBeGreaterThan(1)
  }
})
