import { createCampaign, getCampaign, pickWinner, sendCampaign, settleCampaigns } from '@herald/contracts/calls/campaigns'
import { countExperiment } from '@herald/contracts/calls/tracker'
import type { CreateCampaign, Experiment } from '@herald/contracts/campaign'
import type { VariantUsers } from '@herald/contracts/experiment-report'
import { newId } from '@herald/contracts/ids'
import type { Bus } from '@herald/service/bus'
import { givenPeer } from '@herald/testing/given-peer'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { givenCampaign, givenExperiment, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
let tracker: Bus
/** What the tracker counts of each campaign; and whether it is away. */
const counts = new Map<string, VariantUsers[]>()
let isAway = false
const asked: string[] = []

beforeAll(async () => {
  platform = await givenPlatform()
  tracker = await givenPeer('tracker', platform.natsUrl)
  tracker.answer(countExperiment, async ({ campaignId }) => {
    asked.push(campaignId)
    if (isAway) throw new Error('away')
    const variants = counts.get(campaignId)
    return variants ? { asOf: new Date().toISOString(), fannedOut: true, variants, appRate: 0.05 } : null
  })
})
beforeEach(() => {
  isAway = false
})

const auto = { metric: 'open', afterMinutes: 120, alpha: 0.05, minUsers: 500, ifInconclusive: 'best' } as const
const variant = (id: string, events: number, sent = 10_000): VariantUsers => ({ id, assigned: sent, sent, events })
const read = (campaignId: string) => platform.gateway.call(getCampaign, { appId, campaignId })
/** Makes an experiment that is sent, and whose last push was so many minutes ago, by the database's clock. */
async function sent(minutes: number, of: VariantUsers[], more: Partial<NonNullable<Experiment['auto']>> = {}): Promise<string> {
  const campaign: Partial<CreateCampaign> = { experiment: { ...givenExperiment(0.2), auto: { ...auto, ...more } } }
  const { id } = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign(campaign) })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  await until(async () => (await platform.rowOf(id)).started_at, { what: 'the take-over' })
  await platform.gateway.call(settleCampaigns, { campaignIds: [id] })
  expect((await platform.rowOf(id)).winner_due_at).not.toBeNull()
  counts.set(id, of)
  await look(id, minutes)
  return id
}
/** Makes an experiment due for a look, so many minutes after its last push. */
const look = (id: string, minutes: number) =>
  sql`update campaigns set settled_at = now() - ${minutes} * interval '1 minute', winner_due_at = now() where id = ${id}`.execute(
    platform.db,
  )
const isLookedAt = (id: string) => until(() => asked.includes(id), { withinMs: 20_000, what: 'a look' })
const untilDone = (id: string) =>
  until(async () => (await platform.rowOf(id)).winner_due_at === null, { withinMs: 20_000, what: 'the end of the looks' })
const winnersOf = (id: string) => platform.db.selectFrom('campaigns').select('id').where('remainder_of', '=', id).execute()

// spec: experiments/auto, experiments/decided-by
test('an experiment with a clear difference picks the better variant once, and says that the difference decided it', async () => {
  const id = await sent(60, [variant('a', 500), variant('b', 700)])
  await untilDone(id)
  expect((await read(id)).winner).toMatchObject({ variant: 'b', by: null, decidedBy: 'significance' })
  expect(await winnersOf(id)).toHaveLength(1)
})

// spec: experiments/auto
test('without a difference an experiment waits for its end, and then sends the best or nothing', async () => {
  const even = [variant('a', 510), variant('b', 500)]
  const best = await sent(61, even)
  await isLookedAt(best)
  expect(await winnersOf(best)).toHaveLength(0)
  await look(best, 121)
  await untilDone(best)
  expect((await read(best)).winner).toMatchObject({ variant: 'a', decidedBy: 'deadline' })

  const none = await sent(121, even, { ifInconclusive: 'none' })
  await untilDone(none)
  expect((await read(none)).winner).toBeNull()
})

// spec: experiments/auto, experiments/sample-ratio
test('a split of users that is no chance has no winner', async () => {
  const id = await sent(121, [variant('a', 500), variant('b', 900, 9_400)])
  await untilDone(id)
  expect(await winnersOf(id)).toHaveLength(0)
})

// spec: experiments/auto, experiments/decided-by
test('a person who is quicker picks the winner, and the experiment picks none of its own', async () => {
  const id = await sent(10, [variant('a', 500), variant('b', 700)])
  await platform.gateway.call(pickWinner, { appId, campaignId: id, variant: 'a', by: 'ann' })
  await look(id, 61)
  await untilDone(id)
  expect((await read(id)).winner).toMatchObject({ variant: 'a', by: 'ann', decidedBy: 'person' })
  expect(await winnersOf(id)).toHaveLength(1)
})

// spec: experiments/auto
test('while the tracker is away an experiment stays due, and is decided afterwards', async () => {
  isAway = true
  const id = await sent(61, [variant('a', 500), variant('b', 700)])
  await isLookedAt(id)
  expect(await winnersOf(id)).toHaveLength(0)
  isAway = false
  await look(id, 62)
  await untilDone(id)
  expect((await read(id)).winner).toMatchObject({ variant: 'b' })
})

test('a campaign without an automatic winner is never looked at', async () => {
  const { id } = await platform.gateway.call(createCampaign, {
    ...{ appId, idempotency: null },
    campaign: givenCampaign({ experiment: givenExperiment(0.2) }),
  })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  await until(async () => (await platform.rowOf(id)).started_at, { what: 'the take-over' })
  await platform.gateway.call(settleCampaigns, { campaignIds: [id] })
  expect((await platform.rowOf(id)).winner_due_at).toBeNull()
})
