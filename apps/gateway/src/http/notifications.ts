import { sendNotification } from '@herald/contracts/calls/campaigns'
import { SendNotification } from '@herald/contracts/notification'
import { Accepted } from './answers.ts'
import { replayed } from './replayed.ts'
import { route } from './route.ts'

export const notifications = [
  route({
    name: 'sendNotification',
    method: 'post',
    path: '/v1/notifications',
    key: 'secret',
    scope: 'notifications:send',
    limit: 'send',
    body: SendNotification,
    idempotent: true,
    status: 202,
    summary: 'Send a notification',
    description: 'Accepts a notification to users, devices, a segment or everyone. Its outcomes are read by the id it answers.',
    answers: Accepted,
    faults: ['not_found', 'invalid_segment', 'idempotency_in_progress', 'idempotency_key_reused'],
    answer: async ({ bus }, { appId, body, idempotency }) =>
      replayed(await bus.call(sendNotification, { appId, idempotency, notification: body })),
  }),
]
