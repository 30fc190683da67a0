import type { AppName } from '@herald/contracts/call'
import { dropCampaign } from '@herald/contracts/calls/audience'
import { settleCampaign } from '@herald/contracts/calls/campaigns'
import type { Engagement } from '@herald/contracts/calls/tracker'
import type { Listener } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import type { BatchOutcomes, Outcome } from '@herald/contracts/outcome'
import { openBus, type Bus } from '@herald/service/bus'
import { rememberListeners } from '@herald/service/listeners'
import { testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { Config } from '../config.ts'
import type { Db } from '../store/tables.ts'
import { wireTracker } from '../wire.ts'

export const today = new Date().toISOString().slice(0, 10)

/** A whole tracker on a real bus, without a process. */
export async function givenTracker({ databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string }) {
  const environment = {
    NATS_URL: natsUrl,
    NATS_PASSWORD: testNatsPassword,
    LOG_LEVEL: 'silent',
    DATABASE_URL_TRACKER: databaseUrl,
    DATABASE_POOL_SIZE: '6',
  }
  const service = testService('tracker', Config.parse(environment))
  await wireTracker(service)
  return service
}

/** Somebody listens to these events of an app. */
export const givenEndpoint = (db: Db, appId: string, eventTypes: Listener['eventTypes'] = ['*']) =>
  rememberListeners(db, [{ appId, version: 1, eventTypes }])

/** The bus as another app sees it. */
export const givenPeer = (name: AppName, natsUrl: string): Promise<Bus> => openBus(testService(name, { NATS_URL: natsUrl }))

/** Campaigns and audience, who are told of settlements: answers what they heard, in order, repeats included. */
export async function givenListeners(natsUrl: string): Promise<{ campaigns: string[]; audience: string[] }> {
  const heard = { campaigns: [] as string[], audience: [] as string[] }
  const campaigns = await givenPeer('campaigns', natsUrl)
  campaigns.answer(settleCampaign, async ({ campaignId }) => {
    heard.campaigns.push(campaignId)
    return {}
  })
  const audience = await givenPeer('audience', natsUrl)
  audience.answer(dropCampaign, async ({ campaignId }) => {
    heard.audience.push(campaignId)
    return {}
  })
  return heard
}

export const givenOutcome = (fields: Partial<Outcome> = {}): Outcome => ({
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

export const givenOutcomes = (count: number, fields: Partial<Outcome> = {}): Outcome[] =>
  Array.from({ length: count }, () => givenOutcome(fields))

export type Campaign = { campaignId: string; appId: string }
export const givenCampaign = (): Campaign => ({ campaignId: newId(), appId: newId() })

export const batchOf = (campaign: Campaign, outcomes: Outcome[], fields: Partial<BatchOutcomes> = {}): BatchOutcomes => ({
  ...campaign,
  day: today,
  platform: 'ios',
  outcomes,
  ...fields,
})

export const totalsOf = (campaign: Campaign, ios: number, fannedOut = true) => ({
  ...campaign,
  day: today,
  name: 'Spring',
  transactional: false,
  byPlatform: { ios, android: 0, web: 0 },
  fannedOut,
})

export const givenEngagement = (campaign: Campaign, fields: Partial<Engagement> = {}): Engagement => ({
  ...campaign,
  kind: 'opened',
  userId: newId(),
  subscriptionId: newId(),
  platform: 'ios',
  variant: '',
  ...fields,
})
