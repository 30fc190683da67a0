import type { Breakdown, Curve, DeviceDay, Series } from '@herald/contracts/series'
import { appId, campaignId, tuesday, type Example } from '../../http/shop.ts'
import type { System } from '../read-system.ts'

/* The numbers in these examples are those of one shop on an evening in January, after a send to everybody in the morning. */

const none = { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
const morning = {
  queued: 1_250,
  sent: 1_190,
  failed: 18,
  skipped: 42,
  delivered: 1_102,
  opened: 240,
  clicked: 61,
  dismissed: 130,
  converted: 0,
}
const monday = '2026-01-12T00:00:00.000Z'
const ios = { total: 700, reachable: 640, optedOut: 40, invalidated: 20, active1d: 150, active7d: 380, active30d: 610 }
const android = { total: 520, reachable: 500, optedOut: 12, invalidated: 8, active1d: 120, active7d: 300, active30d: 470 }
const web = { total: 140, reachable: 110, optedOut: 10, invalidated: 20, active1d: 9, active7d: 40, active30d: 90 }

const overview = {
  asOf: '2026-01-12T18:30:00.000Z',
  devicesAsOf: '2026-01-12T18:29:30.000Z',
  devices: { ios, android, web },
  last24h: morning,
  previous24h: none,
  days: [{ at: monday, ...morning }],
  campaigns: { draft: 2, scheduled: 1, sending: 0, active: 1, sent: 12, cancelled: 1, failed: 0, paused: 0 },
  nextSends: [{ campaignId, name: 'Sale', at: '2026-01-13T08:00:00.000Z', schedule: 'at' }],
  circuits: [],
  providers: [
    { kind: 'apns', platform: 'ios', configured: true },
    { kind: 'fcm', platform: 'android', configured: true },
    { kind: 'webpush', platform: 'web', configured: false },
  ],
  attention: [
    {
      code: 'provider_missing',
      params: { platform: 'web', provider: 'webpush', reachable: 110 },
      href: '/v1/admin/apps/671a2b3c4d5e6f7081920a06/providers/webpush',
    },
  ],
}
const series: Series = {
  points: [{ at: monday, ...morning }],
  codes: [
    { at: monday, platform: 'android', outcome: 'failed', code: 'token_dead', count: 18 },
    { at: monday, platform: 'web', outcome: 'skipped', code: 'silent_web', count: 42 },
  ],
}
const deviceSeries: { points: DeviceDay[] } = {
  points: [{ at: monday, platform: 'ios', takenAt: '2026-01-13T00:00:04.000Z', new: 6, ...ios }],
}
const curve: Curve = {
  startedAt: '2026-01-12T09:00:00.000Z',
  kept: true,
  points: [
    { afterSeconds: 0, delivered: 1_080, opened: 150, clicked: 40, dismissed: 90, converted: 0 },
    { afterSeconds: 60, delivered: 22, opened: 90, clicked: 21, dismissed: 40, converted: 0 },
  ],
}
const breakdown: Breakdown = {
  byPlatform: {
    ios: { queued: 640, open: 0, sent: 640, failed: 0, skipped: 0 },
    android: { queued: 500, open: 0, sent: 482, failed: 18, skipped: 0 },
    web: { queued: 110, open: 0, sent: 68, failed: 0, skipped: 42 },
  },
  codes: [
    { platform: 'android', outcome: 'failed', code: 'token_dead', count: 18 },
    { platform: 'web', outcome: 'skipped', code: 'silent_web', count: 42 },
  ],
  variants: {},
  actions: [{ action: 'shop', clicked: 48 }],
}

/** Examples of the overview, series and the system, by route name. */
export const overviewExamples: Record<string, Example> = {
  readOverview: { answer: overview },
  readSeries: { answer: series },
  readDeviceSeries: { answer: deviceSeries },
  readCurve: { answer: curve },
  readBreakdown: { answer: breakdown },
  readCampaignBreakdown: { answer: breakdown },
  readSystem: {
    answer: {
      version: '0.1.0',
      baseUrl: 'https://push.shop.example',
      database: 'ready',
      standby: 'synchronous',
      queue: 'ready',
      ledgerDifference: 0,
      openCircuits: {
        count: 1,
        items: [
          {
            appId,
            platform: 'ios',
            environment: 'production',
            code: 'credentials_invalid',
            since: tuesday,
            probeAt: '2026-01-13T18:30:30.000Z',
          },
        ],
      },
      trustedProxies: true,
      simulator: false,
    } satisfies System,
  },
}
