import { CreateCampaign } from '@herald/contracts/campaign'
import { cancelCampaign, createCampaign, pickWinner, readCampaign, recallCampaign, sendCampaign } from '@herald/contracts/calls/campaigns'
import { readStats } from '@herald/contracts/calls/tracker'
import { notFound } from '@herald/contracts/fault'
import { Recall } from '@herald/contracts/recall'
import { noStats } from '@herald/contracts/stats'
import { text } from '@herald/contracts/text'
import { z } from 'zod'
import { ratesOf } from '../core/rates.ts'
import { getApp } from '../../apps/store/apps.ts'
import { Accepted, CampaignStats, Cancelled, Drafted, Recalled, Started } from '../../http/answers.ts'
import { replayed } from '../../http/reply.ts'
import { elsewhere, route } from '../../http/route.ts'

const writes = { key: 'secret', scope: 'campaigns:write' } as const

/** The body of POST /v1/campaigns/:id/experiment/winner. Campaigns checks whether the experiment has a variant with this id. */
export const PickWinner = z.strictObject({ variant: text(1, 64) })

/** Why a winner is not picked. */
export const winnerFaults = [
  'not_an_experiment',
  'still_sending',
  'invalid_state',
  'no_remainder',
  'winner_already_sent',
  'unknown_variant',
] as const

export const campaigns = [
  route({
    ...writes,
    name: 'createCampaign',
    method: 'post',
    path: '/v1/campaigns',
    body: CreateCampaign,
    idempotent: true,
    audit: elsewhere('campaign.created'),
    status: 201,
    summary: 'Make a draft of a campaign',
    description:
      'Nothing is sent. With neither segment nor segmentId it is for everyone. Fields given here win over those of the template.',
    answers: Drafted,
    faults: ['not_found', 'invalid_segment', 'limit_reached', 'idempotency_in_progress', 'idempotency_key_reused'],
    answer: async ({ bus }, { appId, body, idempotency, keyKind, actor }) =>
      replayed(await bus.call(createCampaign, { appId, idempotency, campaign: body, ...(keyKind === 'secret' ? {} : { author: actor }) })),
  }),
  route({
    ...writes,
    name: 'sendCampaign',
    method: 'post',
    path: '/v1/campaigns/:id/send',
    status: 202,
    summary: 'Send a draft, or start its schedule',
    description: 'Answers the new status of the campaign: sending, scheduled or active, as its schedule says.',
    answers: Started,
    faults: ['invalid_state', 'invalid_segment'],
    async answer({ db, bus }, { appId, params }) {
      const { settings } = await getApp(db, appId)
      const { status } = await bus.call(sendCampaign, { appId, campaignId: params.id, defaultTimezone: settings.defaultTimezone })
      return { status }
    },
  }),
  route({
    ...writes,
    name: 'cancelCampaign',
    method: 'post',
    path: '/v1/campaigns/:id/cancel',
    status: 200,
    summary: 'Cancel a campaign that has not begun',
    answers: Cancelled,
    faults: ['invalid_state'],
    answer: ({ bus }, { appId, params }) => bus.call(cancelCampaign, { appId, campaignId: params.id }),
  }),
  route({
    ...writes,
    name: 'pickWinner',
    method: 'post',
    path: '/v1/campaigns/:id/experiment/winner',
    body: PickWinner,
    status: 202,
    summary: 'Send the winning variant to the rest of the audience',
    description: 'Makes and sends a campaign of its own to everyone who was held out of the experiment.',
    answers: Accepted,
    faults: winnerFaults,
    async answer({ bus }, { appId, params, body: { variant } }) {
      const { id, status } = await bus.call(pickWinner, { appId, campaignId: params.id, variant, by: null })
      return { id, status }
    },
  }),
  route({
    ...writes,
    name: 'recallCampaign',
    method: 'post',
    path: '/v1/campaigns/:id/recall',
    body: Recall,
    idempotent: true,
    audit: elsewhere('campaign.recalled', ({ id, answered }) => (answered === id ? { id } : { id, followUp: answered })),
    status: 202,
    summary: 'Recall a campaign that went out by mistake',
    description:
      'Cancels what is unsent. With `replace` or `dismiss` a follow-up then asks each device to which the campaign was sent to show another text in its place, or to remove it. ' +
      'Devices are asked, and what was read is read: a device that is off gets the follow-up later or never, and browsers cannot be asked to remove.',
    answers: Recalled,
    faults: ['not_found', 'invalid_state', 'idempotency_in_progress', 'idempotency_key_reused'],
    answer: async ({ bus }, { appId, params, body, idempotency }) =>
      replayed(await bus.call(recallCampaign, { appId, campaignId: params.id, idempotency, recall: body })),
  }),
  route({
    name: 'readCampaignStats',
    method: 'get',
    path: '/v1/campaigns/:id/stats',
    key: 'secret',
    scope: 'campaigns:read',
    status: 200,
    summary: 'Read the counters of a campaign',
    description:
      'Counters go on changing after the campaign is sent, because devices report later. A rate is null while there is nothing to divide by.',
    answers: CampaignStats,
    async answer({ bus }, { appId, params }) {
      // The status is read before the counters. If the counters were read first, an answer with the status `sent` could lack the outcomes that came
      // between the two readings.
      const campaign = await bus.call(readCampaign, { appId, campaignId: params.id })
      if (!campaign) throw notFound()
      const counters = await bus.call(readStats, { appId, campaignId: params.id })
      const stats = counters?.stats ?? noStats
      return { id: campaign.id, status: campaign.status, stats, rates: ratesOf(stats) }
    },
  }),
]
