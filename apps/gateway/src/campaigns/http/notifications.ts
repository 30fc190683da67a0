import { sendNotification } from '@herald/contracts/calls/campaigns'
import { SendNotification } from '@herald/contracts/notification'
import { z } from 'zod'
import { checkIdempotencyKey } from '../../core/idempotency.ts'
import { NotificationInBatch, sendEach } from './send-each.ts'
import { Accepted, SendsAccepted } from '../../http/answers.ts'
import { replayed } from '../../http/reply.ts'
import { route } from '../../http/route.ts'

const mostInBatch = 100
/** The items are checked later, one by one, so that the others are sent when one is wrong. */
const Batch = z.strictObject({ notifications: z.array(z.unknown()).min(1).max(mostInBatch) })
const ShownBatch = z.strictObject({ notifications: z.array(NotificationInBatch).min(1).max(mostInBatch) })

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
    description: 'Accepts a notification to users, devices, a segment or everyone. The id that it answers leads to the outcomes.',
    answers: Accepted,
    faults: ['not_found', 'invalid_segment', 'idempotency_in_progress', 'idempotency_key_reused'],
    answer: async ({ bus }, { appId, body, idempotency }) =>
      replayed(await bus.call(sendNotification, { appId, idempotency, notification: body })),
  }),
  route({
    name: 'sendNotifications',
    method: 'post',
    path: '/v1/notifications/batch',
    key: 'secret',
    scope: 'notifications:send',
    limit: 'sends',
    body: Batch,
    shownBody: ShownBatch,
    idempotent: 'items',
    inParts: true,
    status: 200,
    summary: 'Send up to 100 notifications',
    description:
      'Each item is sent or refused by itself, as POST /v1/notifications would, and counts in its limit: read `results`, where `index` is the place in the request. ' +
      'An item with an `idempotencyKey`, or any item when the request has the header, is sent once: a repeated request sends only what is missing.',
    answers: SendsAccepted,
    async answer({ bus, watch }, { appId, body, header, countSend }) {
      const key = checkIdempotencyKey(header('idempotency-key'))
      return { results: await sendEach({ bus, watch }, { appId, items: body.notifications, key, countSend }) }
    },
  }),
]
