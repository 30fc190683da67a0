import { getCampaign } from '@herald/contracts/calls/campaigns'
import { countExperiment, countUplift } from '@herald/contracts/calls/tracker'
import type { Campaign } from '@herald/contracts/campaign'
import { ConversionName } from '@herald/contracts/conversion'
import { experimentMetrics } from '@herald/contracts/experiment-metrics'
import { ExperimentReport, reportOf, Uplift, upliftOf } from '@herald/contracts/experiment-report'
import { fault, invalidField } from '@herald/contracts/fault'
import { Timestamp } from '@herald/contracts/text'
import { z } from 'zod'
import { redrawHoldout } from '../../apps/manage-app.ts'
import { getApp } from '../../apps/store/apps.ts'
import { Time } from '../../http/answers.ts'
import { own, route } from '../../http/route.ts'

const ReportQuery = z
  .strictObject({
    metric: z.enum(experimentMetrics).default('open'),
    conversion: ConversionName.optional().meta({ description: 'The name of the conversion, with that metric.' }),
  })
  .refine(({ metric, conversion }) => (metric === 'conversion') === (conversion !== undefined), {
    error: 'is required with the metric conversion, and only then',
    path: ['conversion'],
  })

const hours = z.coerce.number().int().min(1).max(720)
const CampaignUplift = z.strictObject({
  conversion: ConversionName,
  windowHours: hours.default(168).meta({ description: 'Conversions within this time after the campaign began; a week if left out.' }),
})
const HoldoutUplift = z.strictObject({
  conversion: ConversionName,
  from: Timestamp.optional().meta({ description: 'Since the hold-out began if left out.' }),
  to: Timestamp.optional().meta({ description: 'Until now if left out.' }),
})

/** A push lives at most this long at a provider, so after this time the numbers of a campaign hardly change. */
const finalAfterMs = 28 * 86_400_000
const isFinal = ({ winner, settledAt }: Campaign): boolean =>
  winner !== null || (settledAt !== null && Date.now() - Date.parse(settledAt) > finalAfterMs)

const notKept = () => fault('invalid_state', 'Nothing was queued yet, or the outcomes are past their retention.')

/** The routes that say what an experiment or the hold-out shows (spec: experiments/report, experiments/uplift). */
export const experiments = [
  route({
    name: 'readExperiment',
    method: 'get',
    path: '/v1/admin/apps/:appId/campaigns/:id/experiment',
    key: 'admin',
    scope: 'read',
    query: ReportQuery,
    status: 200,
    summary: 'Read what an experiment shows, with a test that you may look at as often as you like',
    description: 'Users are counted, not devices, at most once a minute.',
    answers: ExperimentReport,
    faults: ['not_an_experiment', 'invalid_state', 'rate_limited'],
    async answer({ db, bus, heavyReads }, { appId, params, query: { metric, conversion = null } }) {
      await getApp(db, appId)
      const campaign = await bus.call(getCampaign, { appId, campaignId: params.id })
      const { experiment, winner } = campaign
      if (!experiment) throw fault('not_an_experiment', 'The campaign is not an experiment.')
      const variants = experiment.variants.map(({ id, weight }) => ({ id, weight }))
      const asked = { appId, campaignId: params.id, metric, conversion, variants }
      const counted = await heavyReads.dryRuns(() => bus.call(countExperiment, asked), appId)
      if (!counted) throw notKept()
      return reportOf(experiment, counted, { metric, final: isFinal(campaign), decidedBy: winner?.decidedBy ?? null })
    },
  }),
  route({
    name: 'readCampaignUplift',
    method: 'get',
    path: '/v1/admin/apps/:appId/campaigns/:id/uplift',
    key: 'admin',
    scope: 'read',
    query: CampaignUplift,
    status: 200,
    summary: 'Read what a campaign has caused: who was meant to get it against who was held out',
    description:
      'By intention to treat: all queued users, whether their push was sent or not; conversions count whether attributed or not.',
    answers: Uplift,
    faults: ['invalid_state', 'rate_limited'],
    async answer({ db, bus, heavyReads }, { appId, params, query: { conversion, windowHours } }) {
      await getApp(db, appId)
      await bus.call(getCampaign, { appId, campaignId: params.id })
      const of = { campaignId: params.id, windowHours }
      const counted = await heavyReads.dryRuns(() => bus.call(countUplift, { appId, conversion, of }), appId)
      if (!counted) throw notKept()
      return upliftOf(counted)
    },
  }),
  route({
    name: 'readHoldoutUplift',
    method: 'get',
    path: '/v1/admin/apps/:appId/holdout/uplift',
    key: 'admin',
    scope: 'read',
    query: HoldoutUplift,
    status: 200,
    summary: 'Read what all campaigns of a time have caused: who was meant to get them against who was held out',
    answers: Uplift,
    faults: ['invalid_state', 'rate_limited'],
    async answer({ db, bus, heavyReads }, { appId, query: { conversion, from, to } }) {
      const { holdout } = (await getApp(db, appId)).settings
      if (!holdout) throw fault('invalid_state', 'The app has no hold-out.')
      if (from !== undefined && from < holdout.since)
        throw invalidField('from', `must not lie before the hold-out began, at ${holdout.since}`)
      const of = { from: from ?? holdout.since, to: to ?? new Date().toISOString() }
      if (of.to <= of.from) throw invalidField('to', 'must lie after from')
      const counted = await heavyReads.dryRuns(() => bus.call(countUplift, { appId, conversion, of }), appId)
      if (!counted) throw notKept()
      return upliftOf(counted)
    },
  }),
  route({
    name: 'redrawHoldout',
    method: 'post',
    path: '/v1/admin/apps/:appId/holdout/redraw',
    key: 'admin',
    scope: 'settings',
    status: 200,
    summary: 'Hold out other users from now on',
    answers: z.object({ since: Time }),
    faults: ['invalid_state'],
    audit: own('holdout.redrawn'),
    answer: (gateway, { appId, note }) => redrawHoldout({ ...gateway, note }, appId),
  }),
]
