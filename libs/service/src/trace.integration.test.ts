import { call } from '@herald/contracts/call'
import { invalidField } from '@herald/contracts/fault'
import { fanOutWork } from '@herald/contracts/topology'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openBus } from './bus.ts'
import { openLog } from './log.ts'
import { registerTracing } from './testing/tracing.ts'
import { activeTrace, inSpan } from './trace.ts'

const url = await freshNats()
const openFor = (name: 'tracker' | 'gateway' | 'audience') => openBus(testService(name, { NATS_URL: url }))
const tracedCall = (subject: 'rpc.tracker.test-traced' | 'rpc.tracker.test-untraced') =>
  call<{ traceId: string | undefined }>()(subject, z.object({ n: z.number() }))
const askTracker = tracedCall('rpc.tracker.test-traced')
const askUntraced = tracedCall('rpc.tracker.test-untraced')
const came = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const traceId = '0af7651916cd43dd8448eb211c80319c'

test('without an OpenTelemetry SDK a call is answered, and the service that answers it sees no trace', async () => {
  const [tracker, gateway] = [await openFor('tracker'), await openFor('gateway')]
  tracker.answer(askUntraced, async () => ({ traceId: activeTrace()?.traceId }))

  expect(await inSpan('answer', 'GET /', came, () => gateway.call(askUntraced, { n: 1 }))).toEqual({})
})

test('a request’s trace goes through calls and stored messages, these with the traceparent as only Herald header', async () => {
  const { ended } = registerTracing()
  const [tracker, gateway, audience] = [await openFor('tracker'), await openFor('gateway'), await openFor('audience')]
  tracker.answer(askTracker, async ({ n }) => {
    if (n < 0) throw invalidField('n', 'must not be negative')
    return { traceId: activeTrace()?.traceId }
  })

  const answer = await inSpan('answer', 'POST /v1/notifications', came, async () => {
    await gateway.publish('work.fan-out', { campaignId: 'a'.repeat(24), page: 1 }, 'traced')
    await gateway.call(askTracker, { n: -1 }).catch(() => undefined)
    return gateway.call(askTracker, { n: 1 })
  })
  expect(answer).toEqual({ traceId })

  const stored = await storedHeaders('work.fan-out')
  expect(stored.filter((name) => !name.startsWith('Nats-'))).toEqual(['traceparent'])

  const seen: unknown[] = []
  audience.consume(fanOutWork, { atOnce: 1 }, async () => void seen.push(activeTrace()?.traceId))
  await until(() => seen.length === 1)
  expect(seen).toEqual([traceId])

  await until(() => ended.some(({ name }) => name === 'consume audience-fan-out'))
  const ours = ended.filter((span) => span.traceId === traceId)
  const named = (name: string) => ours.filter((span) => span.name === name)
  const [request] = named('answer POST /v1/notifications')
  expect(request?.parentSpanId).toBe('b7ad6b7169203331')
  const asked = named('ask rpc.tracker.test-traced')
  expect(asked.map(({ parentSpanId, failed }) => [parentSpanId, failed])).toEqual([
    [request?.spanId, 'invalid_body'],
    [request?.spanId, undefined],
  ])
  expect(named('answer rpc.tracker.test-traced').map(({ parentSpanId, failed }) => [parentSpanId, failed])).toEqual(
    asked.map(({ spanId }) => [spanId, undefined]),
  )
  expect(named('consume audience-fan-out')[0]?.parentSpanId).toBe(named('publish work.fan-out')[0]?.spanId)
})

test('a log line written within a trace names the trace, and a log line outside does not', async () => {
  const lines: string[] = []
  const log = openLog('tracker', 'info', { write: (line) => void lines.push(line) })
  await inSpan('answer', 'GET /', came, async () => log.info('within'))
  log.info('outside')

  expect(lines.map((line) => (JSON.parse(line) as { traceId?: string }).traceId)).toEqual([traceId, undefined])
})

async function storedHeaders(subject: string): Promise<string[]> {
  const connection = await connect({ servers: url })
  onTestFinished(() => connection.close())

  const message = await (await jetstreamManager(connection)).streams.getMessage('WORK', { last_by_subj: subject })
  return message?.header.keys() ?? []
}
