import { call } from '@herald/contracts/call'
import { Fault, invalidField } from '@herald/contracts/fault'
import { fanOutWork } from '@herald/contracts/topology'
import { startNatsServer } from '@herald/embedded/nats-server'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { connect } from '@nats-io/transport-node'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openBus } from './bus.ts'

const url = await freshNats()
const askTracker = call<{ twice: number }>()('rpc.tracker.test-double', z.object({ n: z.number() }), 1500)
const unanswered = call<{ twice: number }>()('rpc.tracker.test-nobody', z.object({ n: z.number() }), 1500)
const openFor = (name: 'tracker' | 'gateway' | 'audience') => openBus(testService(name, { NATS_URL: url }))

test('a call gives the answer of the other service, or throws the fault that the other service answered', async () => {
  const tracker = await openFor('tracker')
  const gateway = await openFor('gateway')
  tracker.answer(askTracker, async ({ n }) => {
    if (n < 0) throw invalidField('n', 'must not be negative')
    return { twice: n * 2 }
  })

  expect(await gateway.call(askTracker, { n: 21 })).toEqual({ twice: 42 })
  const refused = await gateway.call(askTracker, { n: -1 }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Fault)
  expect(refused).toMatchObject({ code: 'invalid_body', details: [{ path: 'n', message: 'must not be negative' }] })
})

// spec: limits/internal
test('after a bug in the service that answers, the caller gets the fault "internal", which reveals nothing', async () => {
  const broken = call<{ twice: number }>()('rpc.tracker.test-broken', z.object({}))
  const tracker = await openFor('tracker')
  tracker.answer(broken, async () => {
    throw new Error('password=hunter2')
  })
  const gateway = await openFor('gateway')

  await expect(gateway.call(broken, {})).rejects.toMatchObject({ code: 'internal', message: 'Internal error.' })
})

// spec: limits/queue-unavailable
test('a call that no service answers fails as queue_unavailable within two seconds', async () => {
  const gateway = await openFor('gateway')

  // A timer of this process, which a busy machine delays as much as the limit of the call.
  const late = wait(2_000, 'no answer', { ref: false })
  await expect(Promise.race([gateway.call(unanswered, { n: 1 }), late])).rejects.toMatchObject({ code: 'queue_unavailable' })
})

test('a message whose handler throws is delivered again, one whose handler returns is not, even published twice', async () => {
  const audience = await openFor('audience')
  const campaignId = 'a'.repeat(24)
  const seen: number[] = []
  audience.consume(fanOutWork, { atOnce: 4 }, async ({ page }) => {
    seen.push(page)
    if (page === 1 && seen.filter((one) => one === 1).length === 1) throw new Error('once')
  })

  await audience.publish('work.fan-out', { campaignId, page: 1 }, 'one')
  await audience.publish('work.fan-out', { campaignId, page: 2 }, 'two')
  await audience.publish('work.fan-out', { campaignId, page: 2 }, 'two')

  await until(() => seen.filter((page) => page === 1).length === 2)
  expect(seen.toSorted((a, b) => a - b)).toEqual([1, 1, 2])
})

async function startMortalServer() {
  const storeDir = mkdtempSync(join(tmpdir(), 'herald-nats-mortal-'))
  let server = await startNatsServer({ storeDir })
  onTestFinished(async () => {
    await server.stop()
    rmSync(storeDir, { recursive: true, force: true })
  })
  return {
    url: server.url,
    storeDir,
    async kill() {
      server.child.kill('SIGKILL')
      await until(() => server.child.exitCode !== null || server.child.signalCode !== null)
    },
    async startAgain() {
      server = await startNatsServer({ storeDir, port: server.port })
    },
  }
}

test('after NATS has lost its store, a service gets new messages again without being restarted', async () => {
  const server = await startMortalServer()
  await openBus(testService('gateway', { NATS_URL: server.url }))
  const bus = await openBus(testService('audience', { NATS_URL: server.url }))
  const seen: number[] = []
  bus.consume(fanOutWork, { atOnce: 4 }, async ({ page }) => void seen.push(page))
  await bus.publish('work.fan-out', { campaignId: 'b'.repeat(24), page: 1 }, 'before')
  await until(() => seen.includes(1))

  await server.kill()
  rmSync(server.storeDir, { recursive: true, force: true })
  await server.startAgain()

  await until(async () => {
    await bus.publish('work.fan-out', { campaignId: 'b'.repeat(24), page: 2 }, `after ${performance.now()}`)
    return seen.includes(2)
  })
  expect(seen).toContain(2)
})

// spec: cluster/lost-store
test('a bus says that NATS lost what it stored after losing store or newest messages, not after a restart', async () => {
  const server = await startMortalServer()
  await openBus(testService('gateway', { NATS_URL: server.url }))
  const bus = await openBus(testService('audience', { NATS_URL: server.url }))
  let [lost, back] = [0, 0]
  bus.onStoreLost(() => void (lost += 1))
  bus.onReconnect(() => void (back += 1))
  const publish = async (id: string) =>
    until(() => bus.publish('work.fan-out', { campaignId: 'e'.repeat(24), page: 1 }, id).then(() => true))
  const kept = `${server.storeDir}-kept`
  onTestFinished(() => rmSync(kept, { recursive: true, force: true }))

  await publish('before')
  await server.kill()
  cpSync(server.storeDir, kept, { recursive: true })
  await server.startAgain()
  // Each bus looks at WORK first and at CANARY last.
  let looks = 0
  const spy = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
  onTestFinished(() => spy.close())
  spy.subscribe('$JS.API.STREAM.INFO.CANARY', { callback: () => void (looks += 1) })
  await until(() => looks >= 2 && back === 1)
  expect(lost).toBe(0)
  await publish('after a restart')

  // The disk is as it was before the last message, as after a power failure.
  await server.kill()
  rmSync(server.storeDir, { recursive: true, force: true })
  cpSync(kept, server.storeDir, { recursive: true })
  await server.startAgain()
  await until(() => lost === 1)

  await server.kill()
  rmSync(server.storeDir, { recursive: true, force: true })
  await server.startAgain()
  await until(() => lost === 2)
})

test('when NATS dies a call fails at once as queue_unavailable; one made meanwhile is answered once it is back', async () => {
  const server = await startMortalServer()
  const patient = call<{ twice: number }>()('rpc.tracker.test-patient', z.object({ n: z.number() }), 60_000)
  await openBus(testService('gateway', { NATS_URL: server.url }))
  // The process calls itself, because over one connection it can answer again as soon as it can ask again.
  const bus = await openBus(testService('tracker', { NATS_URL: server.url }))
  const heard: number[] = []
  const late = Promise.withResolvers<{ twice: number }>()
  bus.answer(patient, ({ n }) => {
    heard.push(n)
    return n === 1 ? late.promise : Promise.resolve({ twice: n * 2 })
  })
  const underWay = bus.call(patient, { n: 1 }).catch((error: unknown) => error)
  await until(() => heard.includes(1))

  await server.kill()
  expect(await underWay).toMatchObject({ code: 'queue_unavailable' })
  const meanwhile = bus.call(patient, { n: 2 })
  await server.startAgain()
  expect(await meanwhile).toEqual({ twice: 4 })
  expect(heard).toEqual([1, 2])
  late.resolve({ twice: 2 })
})

test('a process that stops answers every call that reached it, and later calls go to another process', async () => {
  const stoppable = testService('tracker', { NATS_URL: url })
  const slowCall = call<{ n: number }>()('rpc.tracker.test-stopping', z.object({ n: z.number() }), 10_000)
  const answer = ({ n }: { n: number }) => new Promise<{ n: number }>((resolve) => setTimeout(resolve, 100, { n }))
  const stopping = await openBus(stoppable)
  stopping.answer(slowCall, answer)
  const staying = await openFor('tracker')
  staying.answer(slowCall, answer)
  const gateway = await openFor('gateway')

  const asked: Promise<{ n: number }>[] = []
  let stopped: Promise<boolean> | undefined
  for (let isStopped = false; !isStopped;) {
    for (const n of Array(3).keys()) asked.push(gateway.call(slowCall, { n }))
    if (asked.length > 300) stopped ??= stoppable.stop().then(() => true)
    isStopped = await Promise.race([stopped ?? false, new Promise<false>((resolve) => setTimeout(resolve, 1, false))])
  }

  expect((await Promise.all(asked)).map(({ n }) => n)).toEqual(asked.map((_, index) => index % 3))
})

test('messages to a stopping process are handled within 25 seconds, before NATS delivers them again after 30', async () => {
  const NATS_URL = await freshNats()
  const publisher = await openBus(testService('audience', { NATS_URL }))
  const campaignId = 'c'.repeat(24)
  const seen = new Set<number>()
  const handle = async ({ page }: { page: number }) => void seen.add(page)
  for (const round of Array(5).keys()) {
    const stoppable = testService('audience', { NATS_URL })
    const stopping = await openBus(stoppable)
    const before = seen.size
    stopping.consume(fanOutWork, { atOnce: 50 }, handle)
    await Promise.all(
      [...Array(200).keys()].map((n) => publisher.publish('work.fan-out', { campaignId, page: round * 200 + n }, `stop ${round} ${n}`)),
    )
    await until(() => seen.size > before)
    await stoppable.stop()
  }

  publisher.consume(fanOutWork, { atOnce: 50 }, handle)
  await until(() => seen.size === 1_000, { withinMs: 25_000 })
  expect(seen.size).toBe(1_000)
})

test('the metrics count calls by name and outcome, and stored messages by consumer and result', async () => {
  const NATS_URL = await freshNats()
  const [service, asking] = [testService('audience', { NATS_URL }), testService('gateway', { NATS_URL })]
  const [audience, gateway] = [await openBus(service), await openBus(asking)]
  const measured = call<{ n: number }>()('rpc.audience.test-measured', z.object({ n: z.number() }), 1_500)
  audience.answer(measured, async ({ n }) => {
    if (n < 0) throw invalidField('n', 'must not be negative')
    return { n }
  })
  await gateway.call(measured, { n: 1 })
  await gateway.call(measured, { n: 2 })
  await gateway.call(measured, { n: -1 }).catch(() => undefined)
  await until(async () => {
    const text = await asking.metrics.text()
    return (
      text.includes('herald_call_seconds_count{call="rpc.audience.test-measured",outcome="answered"} 2') &&
      text.includes('herald_call_seconds_count{call="rpc.audience.test-measured",outcome="refused"} 1')
    )
  })

  let tries = 0
  audience.consume(fanOutWork, { atOnce: 4 }, async ({ campaignId }) => {
    if (campaignId.startsWith('d') && (tries += 1) === 1) throw new Error('once')
  })
  await audience.publish('work.fan-out', { campaignId: 'd'.repeat(24), page: 1 }, 'measured')
  await audience.publish('work.fan-out', { not: 'a pointer' }, 'broken')
  await audience.publish('work.fan-out', { campaignId: 'd'.repeat(24), page: 2 }, 'last')
  await until(async () => /result="acked"\} 2\n/.test(await service.metrics.text()))
  const text = await service.metrics.text()
  for (const line of ['total{durable="audience-fan-out",result="came_back"} 1', 'total{durable="audience-fan-out",result="terminated"} 1'])
    expect(text).toContain(`herald_messages_${line}\n`)
  expect(text).toContain('herald_messages_redelivered_total{durable="audience-fan-out"} 1\n')
  expect(text).toMatch(/^herald_messages_pending\{scope="global",durable="audience-fan-out"\} \d+$/m)
})
