import { Id } from '@herald/contracts/text'
import { listTestDevices } from '@herald/contracts/calls/audience'
import { sendTest } from '@herald/contracts/calls/campaigns'
import { campaignStatuses } from '@herald/contracts/stats'
import { TestDevice, TestResult, TestSend } from '@herald/contracts/test-send'
import { z } from 'zod'
import { listRequestOf, pageQuery } from '../../core/page.ts'
import { getApp } from '../../apps/store/apps.ts'
import { replayedHeaders, Reply } from '../../http/reply.ts'
import { elsewhere, route } from '../../http/route.ts'

const TestSent = z.object({ id: Id, status: z.enum(campaignStatuses), results: z.array(TestResult) })
const TestDeviceList = z.object({ items: z.array(TestDevice), nextCursor: z.string().nullable() })

/** The routes for tests and for test devices (spec: administration/test-send). */
export const testSends = [
  route({
    name: 'sendTest',
    method: 'post',
    path: '/v1/admin/apps/:appId/test-send',
    key: 'admin',
    scope: 'send',
    body: TestSend,
    idempotent: true,
    status: 200,
    summary: 'Send a test to single devices and answer what became of it; 202 when that takes longer than 10 seconds',
    description:
      'Tests the send fields, or the content of a campaign or of a variant of it. `subscriptionId` may be any device; the other selectors reach test devices only. ' +
      'A test obeys no delivery rule and is counted in no series. 202 has the results so far: repeat the request with the same Idempotency-Key to wait for all of them.',
    answers: TestSent,
    faults: ['not_found', 'idempotency_in_progress', 'idempotency_key_reused', 'unknown_variant'],
    audit: elsewhere('campaign.tested'),
    async answer({ bus, tests }, { appId, body, idempotency }) {
      const { id, notQueued, replayed } = await bus.call(sendTest, { appId, idempotency, test: body })
      const { status, isOver, results } = await tests.standingOf({ appId, campaignId: id, notQueued })
      return new Reply({ id, status, results }, { status: isOver ? 200 : 202, headers: replayedHeaders(replayed) })
    },
  }),
  route({
    name: 'listTestDevices',
    method: 'get',
    path: '/v1/admin/apps/:appId/test-devices',
    key: 'admin',
    scope: 'people',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the test devices, the one marked last first',
    answers: TestDeviceList,
    async answer({ db, bus }, { appId, query }) {
      await getApp(db, appId)
      return bus.call(listTestDevices, { appId, ...listRequestOf(query) })
    },
  }),
]
