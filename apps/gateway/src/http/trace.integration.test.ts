import { registerTracing } from '@herald/service/testing/tracing'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { startGateway } from '../testing/start-gateway.ts'

const { ended } = registerTracing()
const { url } = await freshDatabase()
const gateway = await startGateway({ database: url('gateway'), nats: await freshNats() })

test('a request continues its client’s trace under its route’s name; a 5xx makes the span fail', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const { secretKey } = await gateway.givenApp()
  const body = { target: { all: true }, silent: true }
  await gateway.ask({ path: '/openapi.json', headers })
  await gateway.ask({ method: 'POST', path: '/v1/notifications', headers, body })
  // No service answers the gateway's call.
  await gateway.ask({ method: 'POST', path: '/v1/notifications', headers: { ...headers, authorization: `Bearer ${secretKey}` }, body })

  expect(ended.filter((span) => span.traceId === traceId)).toMatchObject([
    { name: 'answer readOpenApiDocument', parentSpanId: '00f067aa0ba902b7', failed: undefined },
    { name: 'answer sendNotification', parentSpanId: '00f067aa0ba902b7', failed: undefined },
    { name: 'ask rpc.campaigns.send-notification', failed: 'queue_unavailable' },
    { name: 'answer sendNotification', parentSpanId: '00f067aa0ba902b7', failed: 'queue_unavailable' },
  ])
  const lines = gateway.lines().filter((line) => line['traceId'] === traceId)
  expect(lines).toMatchObject([
    { msg: 'request', route: '/openapi.json', status: 200 },
    { msg: 'request', route: '/v1/notifications', status: 401 },
    { msg: 'request', route: '/v1/notifications', status: 503 },
  ])
})
