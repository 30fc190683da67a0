import { deleteActivityToken, putActivityToken } from '@herald/contracts/calls/audience'
import { ActivityId, AttributesType, HeldActivity, StartToken } from '@herald/contracts/live-activity'
import { parseBody } from '@herald/contracts/validate'
import { z } from 'zod'
import { TokenKept } from '../../http/answers.ts'
import { route } from '../../http/route.ts'

const forDevices = { key: 'public', scope: 'subscriptions:write' } as const
const ofDevice = '/v1/subscriptions/:id'
const goes =
  'Only iOS; a device keeps at most 20 tokens. That of an activity goes 12 hours after its last change, one for starting after 90 days.'

const NamedType = z.object({ attributesType: AttributesType })
const NamedActivity = z.object({ activityId: ActivityId })

/** The tokens of Live Activities (spec: activities/tokens). */
export const activityTokens = [
  route({
    ...forDevices,
    name: 'putActivityStartToken',
    method: 'put',
    path: `${ofDevice}/activity-start-tokens/:attributesType`,
    texts: ['attributesType'],
    body: StartToken,
    status: 200,
    summary: 'Say with which token a device starts a type of Live Activity',
    description: `Call it with each of \`pushToStartTokenUpdates\`. ${goes}`,
    answers: TokenKept,
    faults: ['limit_reached'],
    answer({ bus }, { appId, params, body: { token } }) {
      const { attributesType } = parseBody(NamedType, params)
      return bus.call(putActivityToken, { appId, subscriptionId: params.id, starts: true, name: attributesType, attributesType, token })
    },
  }),
  route({
    ...forDevices,
    name: 'putActivity',
    method: 'put',
    path: `${ofDevice}/activities/:activityId`,
    texts: ['activityId'],
    body: HeldActivity,
    status: 200,
    summary: 'Say with which token a device’s Live Activity is updated',
    description: `Call it with each of the activity’s \`pushTokenUpdates\`. The activity’s id is yours, and any number of devices may have it. ${goes}`,
    answers: TokenKept,
    faults: ['limit_reached'],
    answer({ bus }, { appId, params, body }) {
      const { activityId } = parseBody(NamedActivity, params)
      return bus.call(putActivityToken, { appId, subscriptionId: params.id, starts: false, name: activityId, ...body })
    },
  }),
  route({
    ...forDevices,
    name: 'deleteActivity',
    method: 'delete',
    path: `${ofDevice}/activities/:activityId`,
    texts: ['activityId'],
    status: 204,
    summary: 'Say that a device’s Live Activity has ended',
    description: 'An activity that the device does not have changes nothing.',
    answer({ bus }, { appId, params }) {
      const { activityId } = parseBody(NamedActivity, params)
      return bus.call(deleteActivityToken, { appId, subscriptionId: params.id, activityId })
    },
  }),
]
