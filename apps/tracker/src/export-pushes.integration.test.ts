import { exportPushesOfCampaign, exportPushesOfDevice, newestPushes, recordOutcomes, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { ExportedPush } from '@herald/contracts/person'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { beforeAll, expect, test } from 'vitest'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcome,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  givenSettled,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
})

type Portion = { pushes: ExportedPush[]; next: string | null }
type Campaign = ReturnType<typeof givenCampaign>
/** Exports all portions of a campaign, and calls `between` after each portion. */
async function ofCampaign(campaign: Campaign, between: () => Promise<unknown> = async () => undefined) {
  const pushes: ExportedPush[] = []
  let portions = 0
  for (let after: string | null | undefined = null; after !== undefined;) {
    const from: string | null = after
    const portion: Portion | null = await caller.call(exportPushesOfCampaign, { ...campaign, after: from })
    if (!portion) throw new Error('the campaign is kept')
    pushes.push(...portion.pushes)
    portions += 1
    await between()
    after = portion.next ?? undefined
  }
  return { pushes, portions }
}
async function ofDevice(of: { appId: string; userId: string; subscriptionId: string }) {
  const pushes: ExportedPush[] = []
  for (let after: string | null | undefined = null; after !== undefined;) {
    const from: string | null = after
    const portion: Portion = await caller.call(exportPushesOfDevice, { ...of, after: from })
    pushes.push(...portion.pushes)
    after = portion.next ?? undefined
  }
  return pushes
}
const devicesOf = (pushes: { subscriptionId: string }[]) => pushes.map(({ subscriptionId }) => subscriptionId)

// spec: administration/export-pushes
test('a campaign’s pushes are exported in the order of their batches, each push once, with its outcome or as open', async () => {
  const campaign = givenCampaign()
  const pushes = [
    ...givenOutcomes(1_290),
    givenOutcome({ outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered', variant: 'b' }),
  ]
  const batches = [
    ...batchesOf(campaign, pushes.slice(0, 1_200), { size: 500 }),
    ...batchesOf(campaign, pushes.slice(1_200), { size: 13, no: 4, platform: 'android' }),
  ]
  await report(caller, campaign, batches)
  const told = batches.map((batch) => outcomesOf(batch, batch.no === 1 ? 1 : 0))
  for (const batch of told) await caller.call(recordOutcomes, { batches: [batch] })

  const { pushes: exported, portions } = await ofCampaign(campaign)

  expect(portions).toBeGreaterThan(1)
  expect(devicesOf(exported)).toEqual(devicesOf(pushes))
  expect(exported[0]).toMatchObject({
    ...{ campaignId: campaign.campaignId, platform: 'ios' },
    outcome: 'open',
    attempts: 0,
    settledAt: null,
  })
  expect(exported[1]).toMatchObject({
    outcome: 'sent',
    code: null,
    attempts: 1,
    userId: pushes[1]?.userId,
    settledAt: expect.stringMatching(/Z$/),
  })
  expect(exported.at(-1)).toMatchObject({
    ...{ outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered', variant: 'b', platform: 'android' },
  })
})

// spec: administration/export-pushes
test('an export that was interrupted can go on after any push, also in the middle of a batch', async () => {
  const campaign = givenCampaign()
  await givenSettled(caller, campaign, givenOutcomes(1_100), { size: 300 })
  const { pushes } = await ofCampaign(campaign)

  for (const place of [0, 298, 299, 300, 1_050]) {
    const rest = await caller.call(exportPushesOfCampaign, { ...campaign, after: pushes[place]?.id ?? '' })
    const found = devicesOf(rest?.pushes ?? [])
    expect(found).toEqual(devicesOf(pushes.slice(place + 1, place + 1 + found.length)))
    expect(found.length).toBeGreaterThan(Math.min(900, 1_100 - place - 2))
  }
})

// spec: administration/export-pushes
test('when pushes are queued and end during their campaign’s export, each is exported once, in order', async () => {
  const campaign = givenCampaign()
  const batches = batchesOf(campaign, givenOutcomes(2_600), { size: 400 })
  const [before, after] = [batches.slice(0, 5), batches.slice(5)]
  await report(caller, campaign, before, { fannedOut: false })
  let isQueued = false

  const { pushes } = await ofCampaign(campaign, async () => {
    if (!isQueued) await report(caller, campaign, batches)
    isQueued = true
    await caller.call(recordOutcomes, { batches: before.map((batch) => outcomesOf(batch)) })
  })

  expect(after.length).toBeGreaterThan(0)
  expect(devicesOf(pushes)).toEqual(devicesOf(batches.flatMap((batch) => batch.pushes)))
})

// spec: administration/export-person
test('a push is exported with the kind and time of each report that its device sent', async () => {
  const campaign = givenCampaign()
  const push = givenOutcome()
  await givenSettled(caller, campaign, [push, ...givenOutcomes(20)])
  const of = { userId: push.userId, subscriptionId: push.subscriptionId }
  await caller.call(trackEvents, { engagements: [givenEngagement(campaign, { ...of, kind: 'delivered' })] })
  await caller.call(trackEvents, { engagements: [givenEngagement(campaign, { ...of, kind: 'opened' })] })

  const [ofOne] = await ofDevice({ appId: campaign.appId, ...of })
  const found = (await ofCampaign(campaign)).pushes.find(({ subscriptionId }) => subscriptionId === push.subscriptionId)

  expect(ofOne?.engagements).toEqual([
    { kind: 'delivered', at: expect.stringMatching(/Z$/) },
    { kind: 'opened', at: expect.stringMatching(/Z$/) },
  ])
  expect(found).toEqual(ofOne)
})

// spec: administration/former-devices
test('the export of a user’s pushes to a device leaves out pushes that another owner of the device got', async () => {
  const appId = newId()
  const [device, ann, bob] = [newId(), newId(), newId()]
  const campaigns: Campaign[] = []
  for (const [n, userId] of [ann, bob, ann, ann, bob].entries()) {
    const campaign = { appId, campaignId: newId(new Date(Date.now() - n * 60_000)) }
    campaigns.push(campaign)
    // Every second push to the device is in a row of its own, the others are in rows of many pushes.
    await givenSettled(caller, campaign, [givenOutcome({ userId, subscriptionId: device }), ...givenOutcomes(n % 2 === 0 ? 3 : 40)])
  }
  const idsOf = (...places: number[]) => places.map((place) => campaigns[place]?.campaignId)

  expect((await ofDevice({ appId, userId: ann, subscriptionId: device })).map(({ campaignId }) => campaignId)).toEqual(idsOf(0, 2, 3))
  expect((await ofDevice({ appId, userId: bob, subscriptionId: device })).map(({ campaignId }) => campaignId)).toEqual(idsOf(1, 4))
  expect(await ofDevice({ appId: newId(), userId: ann, subscriptionId: device })).toEqual([])
})

// spec: administration/user-read
test('a user’s newest pushes to the asked devices come newest campaign first, no more than asked for', async () => {
  const appId = newId()
  const user = newId()
  const [phone, tablet] = [newId(), newId()]
  const expected: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const campaign = { appId, campaignId: newId(new Date(Date.now() - n * 60_000)) }
    await givenSettled(caller, campaign, [givenOutcome({ userId: user, subscriptionId: n % 2 ? phone : tablet }), ...givenOutcomes(n * 5)])
    expected.push(campaign.campaignId)
  }
  const ask = (subscriptionIds: string[], limit: number) => caller.call(newestPushes, { appId, userId: user, subscriptionIds, limit })

  expect((await ask([phone, tablet], 4)).pushes.map(({ campaignId }) => campaignId)).toEqual(expected.slice(0, 4))
  expect((await ask([phone], 50)).pushes.map(({ campaignId }) => campaignId)).toEqual(expected.filter((_, n) => n % 2 === 1))
  expect(await ask([], 50)).toEqual({ pushes: [] })
})

// spec: administration/export-pushes
test('an unknown or foreign campaign’s export is empty, a past one has none, and a made-up place is refused', async () => {
  const [campaign, old] = [givenCampaign(), givenCampaign()]
  await givenSettled(caller, campaign, givenOutcomes(2))
  const day = new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 10)
  await report(caller, old, [], { day })

  expect(await caller.call(exportPushesOfCampaign, { ...givenCampaign(), after: null })).toEqual({ pushes: [], next: null })
  expect(await caller.call(exportPushesOfCampaign, { ...campaign, appId: newId(), after: null })).toEqual({ pushes: [], next: null })
  expect(await caller.call(exportPushesOfCampaign, { ...old, after: null })).toBeNull()
  for (const after of ['nonsense', `${newId()}000000010000`])
    await expect(caller.call(exportPushesOfCampaign, { ...campaign, after })).rejects.toMatchObject({
      code: 'invalid_body',
      details: [{ path: 'after' }],
    })
})
