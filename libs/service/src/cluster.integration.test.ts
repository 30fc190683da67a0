import { call, type AppName } from '@herald/contracts/call'
import { fanOutWork, type StreamName } from '@herald/contracts/topology'
import { atEnd } from '@herald/testing/at-end'
import { startCluster, type ClusterServer } from '@herald/testing/cluster'
import { testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openBus, type BusConfig } from './bus.ts'
import { openLog } from './log.ts'
import { makeTopology } from './make-topology.ts'
import { setUpQueue } from './set-up-queue.ts'

const { url, servers } = await startCluster()
await until(() => setUpQueue({ NATS_URL: url }, { replicas: 3 }))
const campaignId = 'a'.repeat(24)
const double = call<{ twice: number }>()('rpc.tracker.test-double', z.object({ n: z.number() }))

function givenService(name: AppName, config: Partial<BusConfig> = {}) {
  const lines: { level: string; msg: string; stream?: string }[] = []
  // The gateway makes a call of this test alone, which no service is granted.
  const service = testService(name, { NATS_URL: url, ...(name !== 'gateway' && { NATS_PASSWORD: testNatsPassword }), ...config })
  const log = openLog(name, 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  return { ...service, log, lines }
}

async function openManager(): Promise<JetStreamManager> {
  const connection = await connect({ servers: url.split(','), maxReconnectAttempts: -1 })
  atEnd(() => connection.close())
  return jetstreamManager(connection, { checkAPI: false, timeout: 1_000 })
}
const manager = await openManager()
const copiesOf = async (name: StreamName) => (await manager.streams.info(name)).config.num_replicas
const serverNamed = (name: string): ClusterServer => {
  const server = servers.find((one) => one.name === name)
  if (!server) throw new Error(`no server is called ${name}`)
  return server
}
const leaderOfWork = async () => serverNamed(await until(async () => (await manager.streams.info('WORK')).cluster?.leader))
const leaderOfFanOut = async () =>
  serverNamed(await until(async () => (await manager.consumers.info('WORK', fanOutWork.durable)).cluster?.leader))

// spec: cluster/copies
test('the gateway raises each stream’s copies to NATS_REPLICAS; one with a lower setting leaves them', async () => {
  const makeWithOne = () => until(() => makeTopology(manager, { replicas: 1 }).then(() => true))
  await manager.streams.delete('CANARY')
  await makeWithOne()
  expect([await copiesOf('WORK'), await copiesOf('CANARY')]).toEqual([3, 1])

  await openBus(givenService('gateway', { NATS_REPLICAS: 3 }))
  await until(async () => (await copiesOf('CANARY')) === 3)
  await makeWithOne()
  expect([await copiesOf('WORK'), await copiesOf('CANARY')]).toEqual([3, 3])
})

// spec: cluster/leader
test('when WORK’s leader is killed, calls are answered, pointers arrive, and each stream costs one log line', async () => {
  const [audience, tracker, gateway] = [givenService('audience'), givenService('tracker'), givenService('gateway')]
  const [bus, answering, asking] = [await openBus(audience), await openBus(tracker), await openBus(gateway)]
  answering.answer(double, async ({ n }) => ({ twice: n * 2 }))
  const seen = new Set<number>()
  bus.consume(fanOutWork, { atOnce: 20 }, async ({ page }) => void seen.add(page))
  await until(() => audience.waitingFor().length === 0)
  let lost = 0
  bus.onStoreLost(() => void (lost += 1))

  const leader = await leaderOfWork()
  await leader.kill()
  // Row first, pointer second: a pointer that was not stored is written again, as the sweep does.
  let refused = 0
  for (let page = 0; page < 200; page += 1) {
    const point = async (): Promise<void> => {
      const stored = await bus.publish('work.fan-out', { campaignId, page }, `leader ${page}`).then(
        () => true,
        () => false,
      )
      refused += Number(!stored)
      if (!stored) await until(() => asking.call(double, { n: page }).then(({ twice }) => twice === page * 2))
      if (!stored) return point()
    }
    await point()
  }
  await until(() => seen.size === 200)
  await leader.start()
  await audience.stop()

  expect(lost).toBe(0)
  const lines = audience.lines.filter(({ msg }) => msg.startsWith('no leader'))
  expect(lines.filter(({ stream }) => stream === 'WORK').length).toBeLessThanOrEqual(1)
  expect(audience.lines.length).toBeLessThan(20)
  const text = await audience.metrics.text()
  expect(text).not.toContain('make-streams')
  expect(refused).toBeGreaterThan(0)
  expect(text).toMatch(/^herald_queue_no_leader_total\{stream="WORK"\} [1-9]/m)
})

// spec: cluster/start
test('with two of three servers away services start, answer calls, wait for the queue, then are ready', async () => {
  // The server that stays leads neither the stream nor the consumer, so it can answer for neither at once. While a copy catches up, leaders change.
  const areCurrent = ({ cluster }: { cluster?: { replicas?: { current: boolean }[] } }) =>
    cluster?.replicas?.length === 2 && cluster.replicas.every(({ current }) => current)
  await until(async () => areCurrent(await manager.streams.info('WORK')))
  await until(async () => areCurrent(await manager.consumers.info('WORK', fanOutWork.durable)))
  const dying = new Set([await leaderOfWork(), await leaderOfFanOut()])
  for (const server of servers) if (dying.size < 2) dying.add(server)
  const [first, second] = [...dying]
  await Promise.all([...dying].map((server) => server.kill()))

  const [audience, tracker, campaigns] = [givenService('audience'), givenService('tracker'), givenService('campaigns')]
  const bus = await openBus(audience)
  const seen: number[] = []
  bus.consume(fanOutWork, { atOnce: 4 }, async ({ page }) => void seen.push(page))
  const answering = await openBus(tracker)
  answering.answer(double, async ({ n }) => ({ twice: n * 2 }))
  const asking = await openBus(givenService('gateway'))
  const publishing = await openBus(campaigns)
  expect(await asking.call(double, { n: 4 })).toEqual({ twice: 8 })
  expect([audience, tracker, campaigns].map((service) => service.waitingFor())).toEqual([['queue'], [], []])
  await expect(publishing.publish('work.fan-out', { campaignId, page: 1_000 }, 'too early')).rejects.toMatchObject({
    code: 'queue_unavailable',
  })

  await first?.start()
  await until(() => audience.waitingFor().length === 0)
  await until(() => publishing.publish('work.fan-out', { campaignId, page: 1_001 }, 'in time').then(() => true))
  await until(() => seen.includes(1_001))
  await second?.start()
  expect(seen).toContain(1_001)
})

// spec: cluster/addresses
test.each([0, 1, 2])(
  'a service is connected within 15 seconds when of three servers in NATS_URL only that in place %i is up',
  async (place) => {
    const started = performance.now()
    const list = ['nats://127.0.0.1:1', 'nats://127.0.0.1:2'].toSpliced(place, 0, servers[0]?.url ?? '')
    const bus = await openBus(givenService('audience', { NATS_URL: list.join(',') }))

    expect(bus.up).toBe(true)
    expect(performance.now() - started).toBeLessThan(15_000)
  },
)
