import { markTestDevice } from '@herald/contracts/calls/audience'
import { MarkDevice } from '@herald/contracts/test-send'
import { z } from 'zod'
import { Id } from './answers.ts'
import { elsewhere, route } from './route.ts'

const Marked = z.object({ id: Id, optedIn: z.boolean(), test: z.boolean() })

/** Devices as the dashboard manages them. No API key marks a test device: that would be a way around the frequency cap (spec: administration/test-devices). */
export const subscriptionsOfApp = [
  route({
    name: 'changeSubscriptionOfApp',
    method: 'patch',
    path: '/v1/admin/apps/:appId/subscriptions/:id',
    key: 'admin',
    body: MarkDevice,
    status: 200,
    summary: 'Make a device a test device, or an ordinary one again',
    answers: Marked,
    faults: ['limit_reached'],
    audit: elsewhere('device.marked'),
    answer: ({ bus }, { appId, params, body: { test } }) => bus.call(markTestDevice, { appId, subscriptionId: params.id, test }),
  }),
]
