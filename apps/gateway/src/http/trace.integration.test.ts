import { registerTracing } from '@herald/service/testing/tracing'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { startGateway } from '../testing/start-gateway.ts'

const { ended } = registerTracing()
const { url } = await freshDatabase()
const gateway = await startGateway({ database: url('gateway'), nats: await freshNats() })

test('a request goes on with the trace its client is in, by the name of its route; a refused one ends as failed', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  await gateway.ask({ path: '/openapi.json', headers })
  await gateway.ask({ method: 'POST', path: '/v1/notifications', headers, body: {} })

  expect(ended.filter((span) => span.traceId === traceId)).toMatchObject([
    { name: 'answer readOpenApiDocument', parentSpanId: '00f067aa0ba902b7', failed: undefined },
    { name: 'answer sendNotification', parentSpanId: '00f067aa0ba902b7', failed: 'unauthorized' },
  ])
})
