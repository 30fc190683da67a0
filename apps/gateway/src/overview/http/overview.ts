import { readDeviceDays } from '@herald/contracts/calls/audience'
import { getCampaign } from '@herald/contracts/calls/campaigns'
import { readBreakdown, readCurve, readSeries } from '@herald/contracts/calls/tracker'
import { perPlatform, platforms } from '@herald/contracts/platform'
import { seriesBuckets, type Breakdown as BreakdownRead, type Curve as CurveRead } from '@herald/contracts/series'
import { parseDay } from '@herald/contracts/text'
import { z } from 'zod'
import { getApp } from '../../apps/store/apps.ts'
import { baseUrlOf } from '../../core/base-url.ts'
import type { Gateway } from '../../gateway.ts'
import { readOverview } from '../read-overview.ts'
import { readSystem } from '../read-system.ts'
import { Breakdown, Curve, DeviceSeries, Overview, Series, SystemRead } from './overview-answers.ts'
import { route } from '../../http/route.ts'

/** The schema of a parameter that is a time. A date stands for its first instant in UTC. */
const Instant = z
  .string()
  .refine((value) => parseDay(value) !== undefined, 'must be an ISO 8601 time with a zone, or a date such as 2026-01-31')
  .transform((value) => parseDay(value)?.toISOString() ?? value)
  .meta({ format: 'date-time' })

const span = {
  from: Instant.optional().meta({ description: 'Without it: 24 hours ago for hours, 30 days ago for days.' }),
  to: Instant.optional().meta({ description: 'Without it: now.' }),
}
const isForward = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean =>
  from === undefined || to === undefined || from < to
const forward = { path: ['to'], message: 'must be later than from' }

const SpanQuery = z.strictObject(span).refine(isForward, forward)
const SeriesQuery = z
  .strictObject({
    ...span,
    bucket: z.enum(seriesBuckets).default('day'),
    by: z
      .enum(['platform', 'code'])
      .optional()
      .meta({ description: '`platform`: a point for each platform. `code`: counts of codes beside the points.' }),
  })
  .refine(isForward, forward)

const zeros = { queued: 0, open: 0, sent: 0, failed: 0, skipped: 0 }
/** The breakdown of a campaign that has queued no push. */
const nothing: BreakdownRead = { byPlatform: perPlatform(() => zeros), codes: [], variants: {}, actions: [] }

/**
 * The routes that show an app over time (spec: administration/overview, administration/series), read from counters by the time at which each outcome
 * or report came. The breakdown of a campaign of at most 1,000 pushes comes from the ledger.
 */
export const overview = [
  route({
    name: 'readOverview',
    method: 'get',
    path: '/v1/admin/apps/:appId/overview',
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Read an app at a glance: devices, the last days, what begins next and what needs attention',
    answers: Overview,
    async answer(gateway, { appId }) {
      await getApp(gateway.db, appId)
      return readOverview(gateway, appId)
    },
  }),
  route({
    name: 'readSeries',
    method: 'get',
    path: '/v1/admin/apps/:appId/series',
    key: 'admin',
    scope: 'read',
    query: SeriesQuery,
    status: 200,
    summary: 'Read what was queued, what became of it and what devices reported, by UTC hour or day',
    description: `Hours reach back 35 days, days 400. An answer has at most 2,000 points; by platform each bucket has ${platforms.length}.`,
    answers: Series,
    async answer({ db, bus }, { appId, query: { from = null, to = null, bucket, by = null } }) {
      await getApp(db, appId)
      return bus.call(readSeries, { appId, from, to, bucket, by })
    },
  }),
  route({
    name: 'readDeviceSeries',
    method: 'get',
    path: '/v1/admin/apps/:appId/devices/series',
    key: 'admin',
    scope: 'read',
    query: SpanQuery,
    status: 200,
    summary: 'Read how many devices there were at the end of each UTC day, by platform',
    description: 'Days reach back 400 days. A day on which no process could count is absent.',
    answers: DeviceSeries,
    async answer({ db, bus }, { appId, query: { from = null, to = null } }) {
      await getApp(db, appId)
      return bus.call(readDeviceDays, { appId, from, to })
    },
  }),
  route({
    name: 'readCurve',
    method: 'get',
    path: '/v1/admin/apps/:appId/campaigns/:id/curve',
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Read when devices reported of a campaign, by the time since its first push was queued',
    answers: Curve,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      const of = { appId, campaignId: params.id }
      const curve = await bus.call(readCurve, of)
      if (curve) return curve
      await bus.call(getCampaign, of)
      return { startedAt: null, kept: false, points: [] } satisfies CurveRead
    },
  }),
  route({
    name: 'readBreakdown',
    method: 'get',
    path: '/v1/admin/apps/:appId/campaigns/:id/breakdown',
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Read the counters of a campaign by platform, code, variant and button',
    answers: Breakdown,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      return breakdownOf(bus, { appId, campaignId: params.id })
    },
  }),
]

export const breakdowns = [
  route({
    name: 'readCampaignBreakdown',
    method: 'get',
    path: '/v1/campaigns/:id/breakdown',
    key: 'secret',
    scope: 'campaigns:read',
    alsoScope: 'users:read',
    status: 200,
    summary: 'Read the counters of a campaign by platform, code, variant and button',
    description: 'The key needs the scope users:read too.',
    answers: Breakdown,
    answer: ({ bus }, { appId, params }) => breakdownOf(bus, { appId, campaignId: params.id }),
  }),
]

/** Reads a campaign's counters by platform, code, variant and button. Fault: not_found. */
async function breakdownOf(bus: Gateway['bus'], of: { appId: string; campaignId: string }): Promise<BreakdownRead> {
  const breakdown = await bus.call(readBreakdown, of)
  if (breakdown) return breakdown
  await bus.call(getCampaign, of)
  return nothing
}

export const system = [
  route({
    name: 'readSystem',
    method: 'get',
    path: '/v1/admin/system',
    key: 'admin',
    scope: 'read',
    withoutDatabase: true,
    status: 200,
    summary: 'Read how Herald as a whole is doing; what cannot be known now is null',
    answers: SystemRead,
    description: 'With an administration key: without the circuits of other apps.',
    answer: ({ db, bus, watch, installed }, { header, onlyApp }) =>
      readSystem({
        ...{ db, bus, watch },
        baseUrl: baseUrlOf(installed.baseUrl, header),
        trustedProxies: installed.proxies,
        simulator: installed.simulator,
        onlyApp,
      }),
  }),
]
