import { call } from '@herald/contracts/call'
import { fanOutWork } from '@herald/contracts/topology'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openBus } from './bus.ts'
import { openLog } from './log.ts'
import { forRequest } from './request-id.ts'

type Line = { app: string; msg: string; requestId?: string }

const NATS_URL = await freshNats()
const lines: Line[] = []
const said = (msg: string) => lines.filter((line) => line.msg === msg)

async function openApp(name: 'gateway' | 'audience' | 'tracker') {
  const log = openLog(name, 'info', { write: (line) => void lines.push(JSON.parse(line) as Line) })
  return { log, bus: await openBus({ ...testService(name, { NATS_URL }), log }) }
}
const askAudience = call<object>()('rpc.audience.test-request', z.object({ n: z.number() }))
const askTracker = call<object>()('rpc.tracker.test-request', z.object({ n: z.number(), campaignId: z.string() }))
const campaignId = 'a'.repeat(24)

const [gateway, audience, tracker] = [await openApp('gateway'), await openApp('audience'), await openApp('tracker')]
audience.bus.answer(askAudience, async ({ n }) => {
  audience.log.info(`asked ${n}`)
  const answer = await audience.bus.call(askTracker, { n, campaignId })
  audience.log.info(`answered ${n}`)
  return answer
})
tracker.bus.answer(askTracker, async ({ n }) => {
  tracker.log.info(`tracked ${n}`)
  if (n < 0) throw new Error('a mistake')
  return {}
})

test('every log line of a request has its id, also after two calls; a line of none has none', async () => {
  await Promise.all([
    forRequest('order-17', () => gateway.bus.call(askAudience, { n: 1 })),
    forRequest('order-18', () => gateway.bus.call(askAudience, { n: 2 })),
    gateway.bus.call(askAudience, { n: 3 }),
  ])
  await gateway.bus.call(askAudience, { n: 4 })

  for (const [n, requestId] of [['1', 'order-17'], ['2', 'order-18'], ['3'], ['4']] as const)
    expect(lines.filter(({ msg }) => msg.endsWith(` ${n}`)).map((line) => [line.app, line.requestId])).toEqual([
      ['audience', requestId],
      ['tracker', requestId],
      ['audience', requestId],
    ])
})

test('a bug and a broken call are logged with the request and the campaign that they were about', async () => {
  await forRequest('order-19', () => gateway.bus.call(askTracker, { n: -1, campaignId })).catch(() => undefined)
  await forRequest('order-20', () => gateway.bus.call(askTracker, { n: 'text' as never, campaignId })).catch(() => undefined)

  expect(said('call failed')).toMatchObject([{ app: 'tracker', requestId: 'order-19', campaignId }])
  expect(said('a call broke its contract')).toMatchObject([{ app: 'tracker', requestId: 'order-20', campaignId, paths: ['n'] }])
})

test('a stored message does not carry the id of a request: log lines about its failure name the campaign instead', async () => {
  let tries = 0
  audience.bus.consume(fanOutWork, { atOnce: 1 }, async ({ page }) => {
    audience.log.info(`page ${page}`)
    if ((tries += 1) === 1) throw new Error('once')
  })
  await forRequest('order-21', async () => {
    await gateway.bus.publish('work.fan-out', { campaignId, page: 1 }, 'one')
    await gateway.bus.publish('work.fan-out', { campaignId, page: 'a secret' }, 'broken')
  })
  await until(() => tries === 2 && said('a message broke its contract').length === 1)

  const [comesBack, broken] = [said('a message comes back')[0], said('a message broke its contract')[0]]
  expect(comesBack).toMatchObject({ app: 'audience', consumer: 'audience-fan-out', campaignId, deliveries: 1 })
  expect(broken).toMatchObject({ consumer: 'audience-fan-out', campaignId, paths: ['page'] })
  expect(JSON.stringify(broken)).not.toContain('secret')
  for (const line of [comesBack, broken, ...said('page 1')]) expect(line).not.toHaveProperty('requestId')
})
