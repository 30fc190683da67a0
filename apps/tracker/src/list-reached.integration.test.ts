import { dropFromInboxes, listReached, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign, givenEngagement, givenOutcome, givenOutcomes, givenSettled, givenTracker } from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
})

// spec: recall/target
test('devices to which a campaign was sent are listed once, 5,000 at a time, also without those that opened', async () => {
  const campaign = givenCampaign()
  const sent = givenOutcomes(9_800)
  const failed = givenOutcome({ outcome: 'failed', code: 'token_dead' })
  await givenSettled(caller, campaign, [...sent.slice(0, 4_000), failed, ...sent.slice(4_000)], { size: 500 })
  await caller.call(trackEvents, {
    engagements: [
      givenEngagement(campaign, { subscriptionId: sent[0]!.subscriptionId }),
      givenEngagement(campaign, { subscriptionId: sent[9_000]!.subscriptionId, kind: 'delivered' }),
      givenEngagement(campaign, { subscriptionId: sent[9_001]!.subscriptionId }),
    ],
  })
  const list = async (unopened: boolean) => {
    const found: { subscriptionId: string; userId: string }[] = []
    let after: string | null = null
    do {
      const portion: { devices: typeof found; next: string | null } | null = await caller.call(listReached, {
        ...campaign,
        unopened,
        after,
      })
      expect(portion!.devices.length).toBeLessThanOrEqual(5_000)
      found.push(...portion!.devices)
      after = portion!.next
    } while (after !== null)
    return found
  }

  const all = sent.map(({ subscriptionId, userId }) => ({ subscriptionId, userId }))
  expect(await list(false)).toEqual(all)
  expect(await list(true)).toEqual(all.filter((_, place) => place !== 0 && place !== 9_001))
  expect(await caller.call(listReached, { ...campaign, appId: newId(), unopened: true, after: null })).toBeNull()
  expect(await caller.call(dropFromInboxes, { ...campaign })).toEqual({})
})
