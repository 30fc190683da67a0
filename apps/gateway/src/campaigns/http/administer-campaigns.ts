import { readWaves } from '@herald/contracts/calls/audience'
import { audienceKinds, CreateCampaign, type Campaign as CampaignRead } from '@herald/contracts/campaign'
import * as calls from '@herald/contracts/calls/campaigns'
import { listStats, readStats, verifyCampaign } from '@herald/contracts/calls/tracker'
import { notFound } from '@herald/contracts/fault'
import { platforms, type Platform } from '@herald/contracts/platform'
import { SendRate } from '@herald/contracts/send-fields'
import { campaignStatuses, noStats, type Stats } from '@herald/contracts/stats'
import { writeCursor } from '@herald/contracts/page'
import { text, Timestamp } from '@herald/contracts/text'
import { z } from 'zod'
import { cappedList, listRequestOf, pageQuery, PageQuery } from '../../core/page.ts'
import { approvalsOf, changeUnasked, sendOrAsk, type Seen } from '../approve-sends.ts'
import type { Who } from '../core/approval.ts'
import { ratesOf } from '../core/rates.ts'
import { deleteApproval } from '../store/approvals.ts'
import type { Gateway } from '../../gateway.ts'
import { getApp } from '../../apps/store/apps.ts'
import { administered } from '../../apps/http/administered.ts'
import {
  Campaign,
  CampaignList,
  CampaignWithRates,
  Cancelling,
  OccurrenceList,
  Paused,
  RateChanged,
  Resumed,
  RunList,
  SentOrDelayed,
  Unsent,
  Verification,
  WaveList,
  WinnerPicked,
} from './campaign-answers.ts'
import { Cancelled } from '../../http/answers.ts'
import { campaigns, PickWinner, winnerFaults } from './campaigns.ts'
import { EventStream } from '../../http/event-stream.ts'
import { Reply } from '../../http/reply.ts'
import { autosaved, elsewhere, route, type Asked, type Route } from '../../http/route.ts'

const path = '/v1/admin/apps/:appId/campaigns'
const onePath = `${path}/:id` as const

const CampaignQuery = PageQuery.extend({
  status: z.enum(campaignStatuses).optional(),
  transactional: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional(),
  test: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional(),
  author: text(1, 128).optional().meta({ description: 'Only campaigns that this operator made.' }),
  audience: z.enum(audienceKinds).optional().meta({ description: 'Only campaigns with this kind of audience.' }),
  platform: z.enum(platforms).optional().meta({ description: 'Only campaigns that have queued a push for this platform.' }),
  from: Timestamp.optional().meta({ description: 'Only campaigns made at this moment or later.' }),
  to: Timestamp.optional().meta({ description: 'Only campaigns made before this moment.' }),
}).refine(({ from, to }) => from === undefined || to === undefined || from < to, { path: ['to'], message: 'must be later than from' })

const OccurrenceQuery = z.strictObject({
  limit: z
    .string()
    .refine((limit) => /^\d{1,2}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 50, 'must be 1 to 50')
    .transform(Number)
    .default(10)
    .meta({ type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'How many occurrences to answer at most.' }),
})

const ChangeRate = z.strictObject({ perMinute: SendRate.shape.perMinute.nullable() })

const SendDelayed = z.strictObject({ delaySeconds: calls.DelaySeconds.optional() }).optional()

/** Gives the campaign as an administration key may see it: the ids of the people whom a send names need the scope people. */
const seen = (campaign: CampaignRead, holds: Asked<string, unknown, unknown>['holds']): CampaignRead =>
  'ids' in campaign.audience && !holds('people') ? { ...campaign, audience: { ...campaign.audience, ids: null } } : campaign

/** Says who makes a request, for what needs a second person. */
const whoOf = ({ actor, session, adminKeyId }: Pick<Asked<string, unknown, unknown>, 'actor' | 'session' | 'adminKeyId'>): Who => ({
  name: actor,
  sessionId: session?.id ?? null,
  adminKeyId: adminKeyId ?? null,
})

const withStats = (campaign: CampaignRead, stats: Stats = noStats) => ({ ...campaign, stats })

/** A page of the campaigns of one platform reads the list at most this often. */
const mostReads = 5

/**
 * Lists campaigns with their counters. Only the tracker knows which platforms a campaign went to, so with a platform the list is read on until the
 * page is full, at most five times; the next page goes on from there.
 */
async function listWithStats(
  { bus }: Pick<Gateway, 'bus'>,
  asked: z.output<typeof calls.listCampaigns.request>,
  platform: Platform | undefined,
) {
  const { appId } = asked
  const [found, statsOf]: [CampaignRead[], Record<string, Stats>] = [[], {}]
  let cursor = asked.cursor ?? null
  for (let reads = 0; reads < mostReads && found.length < asked.limit; reads += 1) {
    const page = await bus.call(calls.listCampaigns, { ...asked, ...(cursor === null ? {} : { cursor }) })
    const campaignIds = page.items.map(({ id }) => id)
    const { stats } = await bus.call(listStats, { appId, campaignIds, platform })
    found.push(...page.items.filter(({ id }) => platform === undefined || stats[id] !== undefined))
    Object.assign(statsOf, stats)
    cursor = page.nextCursor
    if (platform === undefined || cursor === null) break
  }
  const last = found[asked.limit - 1]
  const nextCursor = found.length > asked.limit && last ? writeCursor({ id: last.id, createdAt: new Date(last.createdAt) }) : cursor
  return { ...cappedList({ items: found.slice(0, asked.limit), nextCursor }), stats: statsOf }
}

/**
 * The routes with which the dashboard manages campaigns (spec: administration/campaign-operations). The service campaigns has the campaigns, the
 * tracker their counters, and audience their waves. The gateway checks that the app exists.
 */
const ofTheDashboard = [
  route({
    name: 'listCampaignsOfApp',
    method: 'get',
    path,
    key: 'admin',
    scope: 'read',
    query: CampaignQuery,
    status: 200,
    summary: 'List campaigns with their counters, newest first',
    answers: CampaignList,
    async answer({ db, bus }, { appId, query: { limit, cursor, q, platform, ...filter }, holds, ...by }) {
      await getApp(db, appId)
      const { items, stats, nextCursor } = await listWithStats(
        { bus },
        { appId, ...listRequestOf({ limit, cursor, q }), ...filter },
        platform,
      )
      const approvalOf = await approvalsOf({ db }, appId, items, whoOf(by))
      const shown = items.map((campaign) => ({
        ...withStats(seen(campaign, holds), stats[campaign.id]),
        approval: approvalOf(campaign.id),
      }))
      return { items: shown, nextCursor }
    },
  }),
  route({
    name: 'readCampaignOfApp',
    method: 'get',
    path: onePath,
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Read a campaign with its counters and rates',
    answers: CampaignWithRates,
    async answer({ db, bus }, { appId, params, holds, ...by }) {
      await getApp(db, appId)
      const of = { appId, campaignId: params.id }
      // The status is read before the counters. If the counters were read first, an answer with the status `sent` could lack the outcomes that came
      // between the two readings.
      const campaign = await bus.call(calls.getCampaign, of)
      const counters = await bus.call(readStats, of)
      const shown = withStats(seen(campaign, holds), counters?.stats)
      const approvalOf = await approvalsOf({ db }, appId, [campaign], whoOf(by))
      return { ...shown, approval: approvalOf(campaign.id), rates: ratesOf(shown.stats) }
    },
  }),
  route({
    name: 'replaceCampaignOfApp',
    method: 'put',
    path: onePath,
    key: 'admin',
    scope: 'send',
    body: CreateCampaign,
    status: 200,
    summary: 'Replace a draft',
    answers: Campaign,
    audit: autosaved('campaign.changed'),
    answer({ db, bus }, { appId, params, body }) {
      const of = { appId, campaignId: params.id }
      return changeUnasked({ db, bus }, of, () => bus.call(calls.replaceCampaign, { ...of, campaign: body }))
    },
  }),
  route({
    name: 'deleteCampaignOfApp',
    method: 'delete',
    path: onePath,
    key: 'admin',
    scope: 'send',
    status: 204,
    summary: 'Delete a draft',
    audit: elsewhere('campaign.deleted'),
    answer({ db, bus }, { appId, params }) {
      const of = { appId, campaignId: params.id }
      return changeUnasked({ db, bus }, of, () => bus.call(calls.deleteCampaign, of))
    },
  }),
  route({
    name: 'sendCampaignOfApp',
    method: 'post',
    path: `${onePath}/send`,
    key: 'admin',
    scope: 'send',
    body: SendDelayed,
    status: 202,
    summary: 'Send a draft, or start its schedule',
    description:
      'With delaySeconds a campaign that would go out at once is scheduled for then, and can be taken back until it goes out. For any other schedule the delay is ignored, since the campaign can be taken back or cancelled before it begins. Above the devices of the app’s setting `approval` the campaign stays a draft with status `draft`, until another session or administration key sends the same request; for who asked first that is 403.',
    answers: SentOrDelayed,
    faults: ['invalid_state', 'invalid_segment'],
    audit: elsewhere('campaign.sent', undefined, undefined, (answer) => (isAskedFor(answer) ? 'campaign.approval-asked' : undefined)),
    async answer({ db, bus }, { appId, params, body, ...by }) {
      const { settings } = await getApp(db, appId)
      const of = { appId, campaignId: params.id }
      const send = (seen?: Seen) =>
        bus.call(calls.sendCampaign, { ...of, defaultTimezone: settings.defaultTimezone, ...body, ...(seen && { seen }) })
      return sendOrAsk({ db, bus }, of, { who: whoOf(by), settings, send })
    },
  }),
  route({
    name: 'pickWinnerOfApp',
    method: 'post',
    path: `${onePath}/experiment/winner`,
    key: 'admin',
    scope: 'send',
    body: PickWinner.extend({ delaySeconds: calls.DelaySeconds.optional() }),
    status: 202,
    summary: 'Send the winning variant to the rest of the audience',
    description:
      'Makes and sends a campaign of its own to everyone who was held out of the experiment. With delaySeconds it is scheduled for then, and can be taken back until it goes out.',
    answers: WinnerPicked,
    faults: winnerFaults,
    audit: elsewhere('campaign.winner-picked'),
    answer: ({ bus }, { appId, params, body, actor }) => bus.call(calls.pickWinner, { appId, campaignId: params.id, by: actor, ...body }),
  }),
  route({
    name: 'unsendCampaignOfApp',
    method: 'post',
    path: `${onePath}/unsend`,
    key: 'admin',
    scope: 'send',
    status: 200,
    summary: 'Take a scheduled campaign back before it goes out: it is a draft again',
    description: 'A winner is taken back from its experiment, which is open again: the winner’s campaign is deleted.',
    answers: Unsent,
    faults: ['invalid_state'],
    // The line of a winner names the experiment, because the winner's campaign is gone.
    audit: elsewhere('campaign.unsent', ({ id, answered }) =>
      answered === undefined || answered === id ? { id } : { id: answered, winner: id },
    ),
    async answer({ db, bus }, { appId, params }) {
      const of = { appId, campaignId: params.id }
      const unsent = await bus.call(calls.unsendCampaign, of)
      await deleteApproval(db, of)
      return unsent
    },
  }),
  route({
    name: 'cancelCampaignOfApp',
    method: 'post',
    path: `${onePath}/cancel`,
    key: 'admin',
    scope: 'send',
    status: 200,
    summary: 'Cancel a campaign, also one under way: 202 until its last push has an outcome',
    answers: Cancelled,
    alsoAnswers: { 202: Cancelling },
    audit: elsewhere('campaign.cancelled'),
    async answer({ bus }, { appId, params }) {
      const { status } = await bus.call(calls.endCampaign, { appId, campaignId: params.id })
      return status === 'cancelled' ? { status } : new Reply({ status, cancelling: true }, { status: 202 })
    },
  }),
  route({
    name: 'pauseCampaignOfApp',
    method: 'post',
    path: `${onePath}/pause`,
    key: 'admin',
    scope: 'send',
    status: 200,
    summary: 'Pause a send under way, or a recurrence: no run begins',
    answers: Paused,
    audit: elsewhere('campaign.paused'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.pauseCampaign, { appId, campaignId: params.id }),
  }),
  route({
    name: 'resumeCampaignOfApp',
    method: 'post',
    path: `${onePath}/resume`,
    key: 'admin',
    scope: 'send',
    status: 200,
    summary: 'Resume a paused send, or a recurrence from its next occurrence on',
    answers: Resumed,
    audit: elsewhere('campaign.resumed'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.resumeCampaign, { appId, campaignId: params.id }),
  }),
  route({
    name: 'changeRateOfCampaign',
    method: 'post',
    path: `${onePath}/rate`,
    key: 'admin',
    scope: 'send',
    body: ChangeRate,
    status: 200,
    summary: 'Change how many pushes a minute a campaign hands over',
    description: 'A send under way obeys within 2 seconds; null takes the limit away. A recurrence gives the rate to its next runs.',
    answers: RateChanged,
    faults: ['invalid_state'],
    audit: elsewhere('campaign.rate-changed'),
    answer: ({ bus }, { appId, params, body }) => bus.call(calls.changeRate, { appId, campaignId: params.id, ...body }),
  }),
  route({
    name: 'duplicateCampaignOfApp',
    method: 'post',
    path: `${onePath}/duplicate`,
    key: 'admin',
    scope: 'send',
    status: 201,
    summary: 'Make a draft that is a copy of a campaign',
    answers: Campaign,
    faults: ['invalid_state', 'limit_reached'],
    audit: elsewhere('campaign.duplicated', ({ id, answered }) => ({ id: answered, of: id })),
    answer: async ({ bus }, { appId, params, holds, actor }) =>
      seen(await bus.call(calls.duplicateCampaign, { appId, campaignId: params.id, author: actor }), holds),
  }),
  route({
    name: 'verifyCampaignOfApp',
    method: 'get',
    path: `${onePath}/verify`,
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Count the ledger of a campaign again and compare it with its counters',
    answers: Verification,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      const verification = await bus.call(verifyCampaign, { appId, campaignId: params.id })
      if (!verification) throw notFound()
      return verification
    },
  }),
  route({
    name: 'listWavesOfCampaign',
    method: 'get',
    path: `${onePath}/waves`,
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'List the waves of a send in their order: instant, zones and what each has queued',
    description: 'The list is empty before the fan-out begins, and again FAN_OUT_RETENTION_DAYS (7) after the send is settled.',
    answers: WaveList,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      const of = { appId, campaignId: params.id }
      if (!(await bus.call(calls.readCampaign, of))) throw notFound()
      return { items: (await bus.call(readWaves, of)).waves, nextCursor: null }
    },
  }),
  route({
    name: 'listRunsOfCampaign',
    method: 'get',
    path: `${onePath}/runs`,
    key: 'admin',
    scope: 'read',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the runs of a recurrence with their counters, newest first',
    answers: RunList,
    async answer({ db, bus }, { appId, params, query }) {
      await getApp(db, appId)
      const { items, nextCursor } = await bus.call(calls.listRuns, { appId, campaignId: params.id, ...listRequestOf(query) })
      const { stats } = await bus.call(listStats, { appId, campaignIds: items.map(({ id }) => id) })
      return { items: items.map((run) => ({ ...run, stats: stats[run.id] ?? noStats })), nextCursor }
    },
  }),
  route({
    name: 'listOccurrencesOfCampaign',
    method: 'get',
    path: `${onePath}/occurrences`,
    key: 'admin',
    scope: 'read',
    query: OccurrenceQuery,
    status: 200,
    summary: 'List when a recurrence runs next',
    description: 'A draft is listed as if it were sent now. The list is empty for a campaign that does not recur or has ended.',
    answers: OccurrenceList,
    async answer({ db, bus }, { appId, params, query }) {
      await getApp(db, appId)
      const { items } = await bus.call(calls.listOccurrences, { appId, campaignId: params.id, limit: query.limit })
      return { items, nextCursor: null }
    },
  }),
  route({
    name: 'followCampaignOfApp',
    method: 'get',
    path: `${onePath}/progress`,
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Follow how far a send has come, as server-sent events',
    description:
      '`progress` comes at once and with each change, and `end` when the send is over. `heartbeat` comes whenever nothing else came for 10 seconds.',
    mediaType: 'text/event-stream',
    async answer({ db, progress }, { appId, params }) {
      await getApp(db, appId)
      const follow = await progress.open({ appId, campaignId: params.id })
      return new EventStream(follow)
    },
  }),
]

const isAskedFor = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'draft'

export const campaignsOfApp: readonly Route[] = [
  ...ofTheDashboard,
  ...campaigns.filter(({ name }) => name === 'createCampaign' || name === 'recallCampaign').map(administered),
]
