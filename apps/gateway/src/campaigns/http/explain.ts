import { Explained } from '@herald/contracts/explain'
import { ExternalId, ObjectId } from '@herald/contracts/text'
import { z } from 'zod'
import { explainSend, type Whom } from '../explain-send.ts'
import { route } from '../../http/route.ts'

const one = 'must be given, or userId or externalId in its place, and only one of them'

const WhomQuery = z.strictObject({
  subscriptionId: ObjectId.optional(),
  userId: ObjectId.optional(),
  externalId: ExternalId.optional(),
})

function checkOne({ subscriptionId, userId, externalId }: z.output<typeof WhomQuery>, context: z.RefinementCtx): void {
  const given = [subscriptionId, userId, externalId].filter((value) => value !== undefined).length
  if (given !== 1) context.addIssue({ code: 'custom', message: one, path: ['subscriptionId'] })
}

function whomOf({ subscriptionId, userId, externalId }: z.output<typeof WhomQuery>): Whom {
  if (subscriptionId !== undefined) return { subscriptionId }
  return userId !== undefined ? { userId } : { externalId: externalId ?? '' }
}

export const explain = [
  route({
    name: 'explainCampaign',
    method: 'get',
    path: '/v1/campaigns/:id/explain',
    key: 'secret',
    scope: 'campaigns:read',
    alsoScope: 'users:read',
    query: WhomQuery.superRefine(checkOne),
    status: 200,
    summary: 'Explain why a device, or the devices of a user, got a campaign or did not',
    description:
      'Exactly one of subscriptionId, userId and externalId names whom. The key needs the scope users:read too, because the answer shows values of the user. Later versions may add steps.',
    answers: Explained,
    answer: (gateway, { appId, params, query }) => explainSend(gateway, { appId, campaignId: params.id, whom: whomOf(query) }),
  }),
]

export const explainOfApp = [
  route({
    name: 'explainSend',
    method: 'get',
    path: '/v1/admin/apps/:appId/explain',
    key: 'admin',
    scope: 'people',
    query: z.strictObject({ campaignId: ObjectId, ...WhomQuery.shape }).superRefine(checkOne),
    status: 200,
    summary: 'Explain why a device, or the devices of a user, got a campaign or did not',
    answers: Explained,
    answer: (gateway, { appId, query }) => explainSend(gateway, { appId, campaignId: query.campaignId, whom: whomOf(query) }),
  }),
]
