import { sendLiveActivity } from '@herald/contracts/calls/campaigns'
import { SendLiveActivity } from '@herald/contracts/live-activity'
import { Accepted } from '../../http/answers.ts'
import { replayed } from '../../http/reply.ts'
import { route } from '../../http/route.ts'

export const liveActivities = [
  route({
    name: 'sendLiveActivity',
    method: 'post',
    path: '/v1/live-activities',
    key: 'secret',
    scope: 'notifications:send',
    limit: 'send',
    body: SendLiveActivity,
    idempotent: true,
    status: 202,
    summary: 'Start, update or end a Live Activity',
    description:
      'A start reaches the devices of `target` that have a start token for the type; update and end reach the devices that have the activity. ' +
      'The id that it answers leads to the outcomes, as that of a notification does.',
    answers: Accepted,
    faults: ['not_found', 'invalid_segment', 'idempotency_in_progress', 'idempotency_key_reused'],
    answer: async ({ bus }, { appId, body, idempotency }) =>
      replayed(await bus.call(sendLiveActivity, { appId, idempotency, activity: body })),
  }),
]
