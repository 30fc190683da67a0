import { Explained } from '@herald/contracts/explain'
import { ExternalId, ObjectId } from '@herald/contracts/text'
import { z } from 'zod'
import { explainSend, type Whom } from '../explain-send.ts'
import { route } from '../../http/route.ts'

const one = 'must be given, or userId or externalId in its place, and only one of them'

const ExplainQuery = z
  .strictObject({
    campaignId: ObjectId,
    subscriptionId: ObjectId.optional(),
    userId: ObjectId.optional(),
    externalId: ExternalId.optional(),
  })
  .superRefine(({ subscriptionId, userId, externalId }, context) => {
    const given = [subscriptionId, userId, externalId].filter((value) => value !== undefined).length
    if (given !== 1) context.addIssue({ code: 'custom', message: one, path: ['subscriptionId'] })
  })

function whomOf({ subscriptionId, userId, externalId }: z.output<typeof ExplainQuery>): Whom {
  if (subscriptionId !== undefined) return { subscriptionId }
  return userId !== undefined ? { userId } : { externalId: externalId ?? '' }
}

export const explain = [
  route({
    name: 'explainSend',
    method: 'get',
    path: '/v1/admin/apps/:appId/explain',
    key: 'admin',
    scope: 'people',
    query: ExplainQuery,
    status: 200,
    summary: 'Explain why a device, or the devices of a user, got a campaign or did not',
    answers: Explained,
    answer: ({ db, bus }, { appId, query }) => explainSend({ db, bus }, { appId, campaignId: query.campaignId, whom: whomOf(query) }),
  }),
]
