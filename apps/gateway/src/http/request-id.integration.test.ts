import { sendNotification } from '@herald/contracts/calls/campaigns'
import { openBus } from '@herald/service/bus'
import { openLog } from '@herald/service/log'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { startGateway } from '../testing/start-gateway.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const gateway = await startGateway({ database: url('gateway'), nats })
const { secretKey } = await gateway.givenApp()

const behind: Record<string, unknown>[] = []
const log = openLog('campaigns', 'info', { write: (line) => void behind.push(JSON.parse(line) as Record<string, unknown>) })
const campaigns = await openBus({ ...testService('campaigns', { NATS_URL: nats }), log })
campaigns.answer(sendNotification, async () => {
  throw new Error('a mistake')
})

// spec: limits/request-id
test.each(['order-17.A', 'unsafe id, "quoted"', undefined])(
  'an answer’s x-request-id is in both services’ log lines, when the client sends %s',
  async (given) => {
    const { status, headers } = await gateway.ask({
      method: 'POST',
      path: '/v1/notifications',
      headers: { authorization: `Bearer ${secretKey}`, ...(given === undefined ? {} : { 'x-request-id': given }) },
      body: { target: { all: true }, silent: true },
    })
    expect(status).toBe(500)
    const requestId = headers['x-request-id']
    const found = () => [...behind, ...gateway.lines()].filter((line) => line['requestId'] === requestId)
    await until(() => found().length === 3)

    expect(requestId === given).toBe(given === 'order-17.A')
    expect(found()).toMatchObject([
      { app: 'campaigns', msg: 'call failed', call: 'rpc.campaigns.send-notification' },
      { app: 'gateway', msg: 'request failed' },
      { app: 'gateway', msg: 'request', status: 500 },
    ])
  },
)
