import type { Circuit } from '@herald/contracts/calls/audience'
import type { CampaignsSummary, Counted, DeviceCounts, RecentCounts } from '@herald/contracts/series'
import { expect, test } from 'vitest'
import { attentionOf } from './attention.ts'

const appId = '671a2b3c4d5e6f7081920a06'
const none = { total: 0, reachable: 0, optedOut: 0, invalidated: 0, active1d: 0, active7d: 0, active30d: 0 }
const noDevices: DeviceCounts['devices'] = { ios: none, android: none, web: none }
const nothing: Counted = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
const noEnds = { sent: 0, failed: 0, skipped: 0 }
const quiet: RecentCounts = {
  asOf: '2026-01-13T18:30:00.000Z',
  last24h: nothing,
  previous24h: nothing,
  byPlatform: { ios: noEnds, android: noEnds, web: noEnds },
  days: [],
}
const noCampaigns: CampaignsSummary = { byStatus: {}, next: [], paused: [], failed: [] }
const calm = {
  circuits: [],
  slowed: [],
  configured: new Set<never>(),
  devices: noDevices,
  recent: quiet,
  campaigns: noCampaigns,
  webhooks: [],
}
const circuit: Circuit = {
  ...{ platform: 'ios', environment: 'production', state: 'open', code: 'credentials_invalid', since: '2026-01-13T18:00:00.000Z' },
  ...{ probeAt: null, heldCount: 12 },
}

// spec: administration/overview-attention
test('an app where all is well needs no attention', () => {
  expect(attentionOf(appId, calm)).toEqual([])
  expect(attentionOf(appId, { ...calm, circuits: [{ ...circuit, state: 'closed' }] })).toEqual([])
})

// spec: administration/overview-attention
test('each thing that needs attention in an app says what it is about, and where to read more', () => {
  const found = attentionOf(appId, {
    circuits: [circuit],
    slowed: [{ platform: 'android', perSecond: 99.6, since: '2026-01-13T19:00:00.000Z' }],
    configured: new Set(['apns']),
    devices: { ...noDevices, ios: { ...none, reachable: 5 }, web: { ...none, reachable: 3 } },
    recent: { ...quiet, byPlatform: { ...quiet.byPlatform, android: { sent: 180, failed: 20, skipped: 0 } } },
    campaigns: {
      ...noCampaigns,
      paused: [{ campaignId: 'p', name: 'Sale', since: '2026-01-12T00:00:00.000Z' }],
      failed: [{ campaignId: 'f', name: 'News', at: '2026-01-13T00:00:00.000Z', code: 'invalid_segment' }],
    },
    webhooks: [
      { id: 'w1', enabled: false, disabledReason: 'consecutive_failures', disabledAt: '2026-01-11T00:00:00.000Z', consecutiveFailures: 20 },
      { id: 'w2', enabled: true, disabledReason: null, disabledAt: null, consecutiveFailures: 5 },
      { id: 'w3', enabled: false, disabledReason: 'manual', disabledAt: '2026-01-11T00:00:00.000Z', consecutiveFailures: 9 },
    ],
  })
  const at = `/v1/admin/apps/${appId}`
  expect(found).toEqual([
    {
      code: 'circuit_open',
      params: { platform: 'ios', environment: 'production', reason: 'credentials_invalid', since: circuit.since, heldCount: 12 },
      href: `${at}/providers/apns`,
    },
    {
      code: 'quota_slowed',
      params: { platform: 'android', perSecond: 100, since: '2026-01-13T19:00:00.000Z' },
      href: `${at}/providers/fcm`,
    },
    {
      code: 'many_failures',
      params: { platform: 'android', failed: 20, sent: 180 },
      href: `${at}/series?bucket=hour&by=code&from=2026-01-12T19:30:00.000Z`,
    },
    { code: 'provider_missing', params: { platform: 'web', provider: 'webpush', reachable: 3 }, href: `${at}/providers/webpush` },
    {
      code: 'campaign_failed',
      params: { campaignId: 'f', name: 'News', at: '2026-01-13T00:00:00.000Z', reason: 'invalid_segment' },
      href: `${at}/campaigns/f`,
    },
    { code: 'campaign_paused', params: { campaignId: 'p', name: 'Sale', since: '2026-01-12T00:00:00.000Z' }, href: `${at}/campaigns/p` },
    { code: 'webhook_disabled', params: { webhookId: 'w1', since: '2026-01-11T00:00:00.000Z' }, href: `${at}/webhooks/w1` },
    { code: 'webhook_failing', params: { webhookId: 'w2', consecutiveFailures: 5 }, href: `${at}/webhooks/w2` },
  ])
})

// spec: administration/overview-attention
test('a platform needs attention when at least 20 of its pushes, and a tenth of sent or failed, failed', () => {
  const withEnds = (sent: number, failed: number) => {
    const recent = { ...quiet, byPlatform: { ...quiet.byPlatform, ios: { sent, failed, skipped: 0 } } }
    return attentionOf(appId, { ...calm, recent }).map(({ code }) => code)
  }
  expect(withEnds(0, 19)).toEqual([])
  expect(withEnds(181, 20)).toEqual([])
  expect(withEnds(180, 20)).toEqual(['many_failures'])
})
