import { dropCampaigns } from '@herald/contracts/calls/audience'
import { settleCampaigns } from '@herald/contracts/calls/campaigns'
import { recordOutcomes, reportQueued, type Engagement, type QueuedReport } from '@herald/contracts/calls/tracker'
import { packIds } from '@herald/contracts/compact-ids'
import type { Listener } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { groupEnds, type BatchOutcomes, type End } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { Bus } from '@herald/service/bus'
import { rememberListeners } from '@herald/service/listeners'
import { givenPeer } from '@herald/testing/given-peer'
import { testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { Config } from '../config.ts'
import type { Db } from '../store/tables.ts'
import { startTracker } from '../start.ts'

/** The UTC day on which this test file began. A file that runs past midnight keeps it, since the tracker has partitions of that day too. */
export const today = new Date().toISOString().slice(0, 10)

/** Starts the tracker in the process of the test, on a real bus and a real database. */
export async function givenTracker({ databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string }) {
  const environment = {
    NATS_URL: natsUrl,
    NATS_PASSWORD: testNatsPassword,
    LOG_LEVEL: 'silent',
    DATABASE_URL_TRACKER: databaseUrl,
    DATABASE_POOL_SIZE: '6',
  }
  const service = testService('tracker', Config.parse(environment))
  await startTracker(service)
  return service
}

/** Makes the tracker announce these events of an app, as if an endpoint asked for them. */
export const givenEndpoint = (db: Db, appId: string, eventTypes: Listener['eventTypes'] = ['*']) =>
  rememberListeners(db, [{ appId, version: 1, eventTypes }])

/** Stands in for campaigns and audience, which are told of settlements. Gives the campaign ids that each was told, in order, with repeats. */
export async function givenListeners(natsUrl: string): Promise<{ campaigns: string[]; audience: string[] }> {
  const heard = { campaigns: [] as string[], audience: [] as string[] }
  const campaigns = await givenPeer('campaigns', natsUrl)
  campaigns.answer(settleCampaigns, async ({ campaignIds }) => {
    heard.campaigns.push(...campaignIds)
    return {}
  })
  const audience = await givenPeer('audience', natsUrl)
  audience.answer(dropCampaigns, async ({ campaignIds }) => {
    heard.audience.push(...campaignIds)
    return {}
  })
  return heard
}

export type Push = End & { subscriptionId: string; userId: string }

export const givenOutcome = (fields: Partial<Push> = {}): Push => ({
  subscriptionId: newId(),
  userId: newId(),
  variant: '',
  outcome: 'sent',
  code: '',
  providerCode: '',
  tokenVersion: 1,
  attempts: 1,
  ...fields,
})

export const givenOutcomes = (count: number, fields: Partial<Push> = {}): Push[] =>
  Array.from({ length: count }, () => givenOutcome(fields))

export type Campaign = { campaignId: string; appId: string; test?: true }
export const givenCampaign = (): Campaign => ({ campaignId: newId(), appId: newId() })

/** A batch as audience makes it, with its pushes in the order of their places. */
export type Batch = Campaign & { day: string; platform: Platform; no: number; pushes: Push[] }

/** Puts pushes of a campaign into batches of `size`, numbered from `no` on. */
export const batchesOf = (
  campaign: Campaign,
  pushes: Push[],
  { size = 500, no = 1, ...fields }: { size?: number; no?: number; day?: string; platform?: Platform } = {},
): Batch[] =>
  Array.from({ length: Math.ceil(pushes.length / size) }, (_, index) => {
    const { campaignId, appId, test } = campaign
    return {
      campaignId,
      appId,
      ...(test && { test }),
      day: today,
      platform: 'ios',
      ...fields,
      no: no + index,
      pushes: pushes.slice(index * size, (index + 1) * size),
    }
  })

const countOf = (batches: Batch[], platform: Platform): number =>
  batches.filter((batch) => batch.platform === platform).reduce((sum, { pushes }) => sum + pushes.length, 0)

/** Makes the report of a campaign whose fan-out has made these batches. `told` are those of the batches that the tracker knows already. */
export const reportOf = (
  { campaignId, appId, test: isTest }: Campaign,
  batches: Batch[],
  {
    fannedOut = true,
    day = batches[0]?.day ?? today,
    told = [],
    test = isTest,
  }: { fannedOut?: boolean; day?: string; told?: Batch[]; test?: true } = {},
): QueuedReport => ({
  ...{ campaignId, appId, day, name: 'Spring', transactional: false, ...(test && { test }) },
  byPlatform: { ios: countOf(batches, 'ios'), android: countOf(batches, 'android'), web: countOf(batches, 'web') },
  fannedOut,
  batches: batches
    .filter((batch) => !told.includes(batch))
    .map(({ no, platform, pushes }) => ({
      ...{ no, platform },
      subscriptionIds: packIds(pushes.map(({ subscriptionId }) => subscriptionId)),
      userIds: packIds(pushes.map(({ userId }) => userId)),
    })),
})

/** Reports the batches of a campaign to the tracker, 20 in a call. The last call says whether the fan-out has ended. */
export async function report(
  caller: Bus,
  campaign: Campaign,
  batches: Batch[],
  settings: { fannedOut?: boolean; day?: string; test?: true } = {},
): Promise<void> {
  for (let from = 0; from === 0 || from < batches.length; from += 20) {
    const upTo = batches.slice(0, from + 20)
    const fannedOut = upTo.length === batches.length && (settings.fannedOut ?? true)
    const one = reportOf(campaign, upTo, { ...settings, fannedOut, told: batches.slice(0, from) })
    await caller.call(reportQueued, { reports: [one] })
  }
}

/** Makes what a dispatcher reports of a batch: how its pushes ended, all of them or those at the places from `from` up to `to`. */
export function outcomesOf(batch: Batch, from = 0, to = batch.pushes.length): BatchOutcomes {
  const { pushes, ...about } = batch
  const ends = pushes.map(({ outcome, code, providerCode, variant, attempts, tokenVersion }, place) => {
    return { outcome, code, providerCode, variant, attempts, tokenVersion, place }
  })
  return { ...about, results: groupEnds(ends.slice(from, to)) }
}

/** Reports these pushes as all that a campaign has, and then how each ended, so that the campaign settles. */
export async function givenSettled(
  caller: Bus,
  campaign: Campaign,
  pushes: Push[],
  fields: { size?: number; day?: string; platform?: Platform } = {},
): Promise<Batch[]> {
  const batches = batchesOf(campaign, pushes, fields)
  await report(caller, campaign, batches)
  for (const batch of batches) await caller.call(recordOutcomes, { batches: [outcomesOf(batch)] })
  return batches
}

export const givenEngagement = ({ campaignId, appId }: Campaign, fields: Partial<Engagement> = {}): Engagement => ({
  ...{ campaignId, appId },
  kind: 'opened',
  userId: newId(),
  subscriptionId: newId(),
  platform: 'ios',
  variant: '',
  ...fields,
})
