import { call, type AppName } from '@herald/contracts/call'
import { fanOutWork, streams, type StreamName } from '@herald/contracts/topology'
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
import { setUpQueue } from './set-up-queue.ts'

const { url, servers } = await startCluster()
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
const leaderOf = async (name: StreamName): Promise<ClusterServer> => {
  const leader = await until(async () => (await manager.streams.info(name)).cluster?.leader)
  const server = servers.find((one) => one.name === leader)
  if (!server) throw new Error(`no server is called ${leader}`)
  return server
}

// spec: cluster/copies
test('the gateway raises the copies of each stream to NATS_REPLICAS, and a gateway with a lower setting leaves them', async () => {
  await openBus(givenService('gateway'))
  await until(async () => (await copiesOf('CANARY')) === 1)

  await openBus(givenService('gateway', { NATS_REPLICAS: 3 }))
  await until(async () => {
    const copies = await Promise.all((Object.keys(streams) as StreamName[]).map(copiesOf))
    return copies.every((count) => count === 3)
  })

  await setUpQueue({ NATS_URL: url }, { replicas: 1 })
  expect(await Promise.all((Object.keys(streams) as StreamName[]).map(copiesOf))).toEqual([3, 3, 3])
})

// spec: cluster/leader
test('when the server that leads WORK is killed, calls are answered, each pointer arrives, and each stream costs one log line and no call to the gateway', async () => {
  const audience = givenService('audience')
  const tracker = givenService('tracker')
  const gateway = givenService('gateway')
  const [bus, answering, asking] = [await openBus(audience), await openBus(tracker), await openBus(gateway)]
  answering.answer(double, async ({ n }) => ({ twice: n * 2 }))
  const seen = new Set<number>()
  bus.consume(fanOutWork, { slots: 20 }, async ({ page }) => void seen.add(page))
  await until(() => audience.waitingFor().length === 0)
  let lost = 0
  bus.onStoreLost(() => void (lost += 1))

  const leader = await leaderOf('WORK')
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
test('while two of three servers are away services start, answer calls and say that they wait for the queue, and are ready when a server is back', async () => {
  const [first, second, third] = servers as [ClusterServer, ClusterServer, ClusterServer]
  await second.kill()
  await third.kill()

  const [audience, tracker, campaigns] = [givenService('audience'), givenService('tracker'), givenService('campaigns')]
  const bus = await openBus(audience)
  const seen: number[] = []
  bus.consume(fanOutWork, { slots: 4 }, async ({ page }) => void seen.push(page))
  const answering = await openBus(tracker)
  answering.answer(double, async ({ n }) => ({ twice: n * 2 }))
  const asking = await openBus(givenService('gateway'))
  const publishing = await openBus(campaigns)
  expect(await asking.call(double, { n: 4 })).toEqual({ twice: 8 })
  expect([audience, tracker, campaigns].map((service) => service.waitingFor())).toEqual([['queue'], [], []])
  await expect(publishing.publish('work.fan-out', { campaignId, page: 1_000 }, 'too early')).rejects.toMatchObject({
    code: 'queue_unavailable',
  })

  await second.start()
  await until(() => audience.waitingFor().length === 0)
  await until(() => publishing.publish('work.fan-out', { campaignId, page: 1_001 }, 'in time').then(() => true))
  await until(() => seen.includes(1_001))
  await third.start()
  expect(first.name).toBe('nats-1')
})

// spec: cluster/addresses
test('a service is connected within 15 seconds when two of the three servers of NATS_URL are dead', async () => {
  const started = performance.now()
  const dead = ['nats://127.0.0.1:1', 'nats://127.0.0.1:2']
  const bus = await openBus(givenService('audience', { NATS_URL: [...dead, servers[0]?.url].join(',') }))

  expect(bus.up).toBe(true)
  expect(performance.now() - started).toBeLessThan(15_000)
})
