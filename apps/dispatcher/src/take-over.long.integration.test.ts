import type { PushEnd } from '@herald/contracts/outcome'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import type { Row } from './testing/start-peers.ts'
import { sentTo, startRig } from './testing/start-rig.ts'

/** How a batch goes from one dispatcher to the next when the first is killed, frozen, too slow or told to stop. */

const rig = await startRig()
afterEach(() => rig.clean())

const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)

const givenEnd = (place: number, change: Partial<PushEnd> = {}): PushEnd => ({
  place,
  variant: '',
  outcome: 'sent',
  code: '',
  providerCode: '200',
  tokenVersion: 1,
  attempts: 1,
  ...change,
})

// spec: sending/take-over
test('after a dispatcher dies, no reported push is sent again, and audience learns of its dead tokens', async () => {
  await rig.start()
  const devices = await rig.androids(10)
  const row = rig.peers.queue('android', devices, { takes: 1 })
  const [sent, dead] = row.recipients
  if (!sent || !dead) throw new Error('no recipients')
  rig.peers.settle(row, givenEnd(sent.place))
  rig.peers.settle(row, givenEnd(dead.place, { outcome: 'failed', code: 'token_dead', tokenVersion: 3 }))

  await rig.peers.point(row)
  const finish = await rig.finishOf(row)

  expect(finish.takes).toBe(2)
  expect(finish.dead).toMatchObject([{ subscriptionId: dead.subscriptionId, tokenVersion: 3, code: 'token_dead' }])
  expect(sentTo(row, finish).toSorted()).toEqual(
    idsOf(row)
      .filter((id) => id !== dead.subscriptionId)
      .toSorted(),
  )
  expect((await rig.simulator.arrivedAt(devices)).map(({ deviceId }) => deviceId).toSorted()).toEqual(
    devices
      .slice(2)
      .map(({ id }) => id)
      .toSorted(),
  )
})

// spec: sending/copies
test('after a dispatcher is killed, at most the pushes in flight arrive twice, and every push has an outcome', async () => {
  const first = await rig.start({ DISPATCH_WINDOW: '8' })
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', latencyMs: 50 })
  const devices = await rig.androids(60)
  const row = rig.peers.queue('android', devices)
  await rig.peers.point(row)
  await until(() => rig.peers.outcomesOf(row).length > 10)
  await first.kill()

  await rig.start()
  row.leasedUntil = 0
  await rig.peers.point(row)
  const finish = await rig.finishOf(row)

  expect(sentTo(row, finish)).toHaveLength(60)
  expect(rig.peers.outcomesOf(row)).toHaveLength(60)
  const arrived = await rig.simulator.arrivedAt(devices)
  expect(new Set(arrived.map(({ deviceId }) => deviceId)).size).toBe(60)
  expect(arrived.length - 60).toBeLessThanOrEqual(8)
})

// spec: sending/take-over
test('a dispatcher whose batch another has taken stops, records what it sent, and does not finish the batch', async () => {
  const running = await rig.start({ DISPATCH_WINDOW: '4' })
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', latencyMs: 200 })
  const devices = await rig.androids(200)
  const row = rig.peers.queue('android', devices)
  await rig.peers.point(row)
  await until(() => row.takes === 1)
  // Another dispatcher has taken the batch, so the next renewal, after 3 s, is refused.
  row.takes = 2

  await until(() => running.output().includes('batch given up'))

  const arrived = await rig.simulator.arrivedAt(devices)
  expect(arrived.length).toBeGreaterThan(0)
  expect(arrived.length).toBeLessThan(200)
  expect(row.finished).toEqual([])
  expect(rig.peers.outcomesOf(row)).toHaveLength(arrived.length)
})

test('a dispatcher that retakes its own batch after the tracker was away sends no push a second time', async () => {
  await rig.start()
  const devices = await rig.androids(30)
  const row = rig.peers.queue('android', devices)
  rig.peers.state.trackerIsAway = true
  await rig.peers.point(row)
  await until(async () => (await rig.simulator.arrivedAt(devices)).length === 30)
  // As after a database was away for longer than a lease: the lease was not renewed, and the sweep points at the batch again.
  row.leasedUntil = 0
  await rig.peers.point(row)
  await until(() => row.takes === 2)
  rig.peers.state.trackerIsAway = false
  await until(() => row.finished.some(({ takes }) => takes === 2))

  expect(await rig.simulator.arrivedAt(devices)).toHaveLength(30)
  expect(rig.peers.outcomesOf(row)).toHaveLength(30)
})

test('a dispatcher that can neither renew nor report beyond its lease stops and finishes the batch itself, without copies', async () => {
  const running = await rig.start({ DISPATCH_WINDOW: '4' })
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', latencyMs: 200 })
  const devices = await rig.androids(400)
  const row = rig.peers.queue('android', devices)
  await rig.peers.point(row)
  await until(() => rig.peers.outcomesOf(row).length > 10)
  Object.assign(rig.peers.state, { trackerIsAway: true, audienceIsAway: true })
  await until(() => row.leasedUntil < performance.now(), { what: 'the lease over' })
  Object.assign(rig.peers.state, { trackerIsAway: false, audienceIsAway: false })
  const finish = await rig.finishOf(row)

  expect(finish.takes).toBe(1)
  expect(finish.retries.length).toBeGreaterThan(0)
  const sent = sentTo(row, finish)
  expect(
    rig.peers
      .outcomesOf(row)
      .map(({ subscriptionId }) => subscriptionId)
      .toSorted(),
  ).toEqual(sent.toSorted())
  expect(await rig.simulator.arrivedAt(devices)).toHaveLength(sent.length)
  await until(() => running.output().includes('batch delivered'))
})

// spec: sending/take-over
test('a dispatcher that was frozen does not deliver a batch that another one has taken meanwhile', async () => {
  const frozen = await rig.start({ DISPATCH_WINDOW: '4' })
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', latencyMs: 50 })
  const devices = await rig.androids(100)
  const row = rig.peers.queue('android', devices)
  await rig.peers.point(row)
  await until(() => rig.peers.outcomesOf(row).length > 10)
  frozen.process.kill('SIGSTOP')
  await until(() => row.leasedUntil < performance.now(), { what: 'the lease over' })

  await rig.start()
  await rig.peers.point(row)
  const finish = await rig.finishOf(row)
  frozen.process.kill('SIGCONT')
  await until(() => frozen.output().includes('batch given up'))

  expect(finish.takes).toBe(2)
  expect(row.finished).toHaveLength(1)
  const arrived = await rig.simulator.arrivedAt(devices)
  expect(new Set(arrived.map(({ deviceId }) => deviceId)).size).toBe(100)
  expect(arrived.length - 100).toBeLessThanOrEqual(4)
})

// spec: sending/clean-stop
test('a dispatcher that gets SIGTERM gives unsent pushes back uncounted, records sent ones, copies none, and exits with 0', async () => {
  const { process, ended } = await rig.start({ DISPATCH_WINDOW: '8' })
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', latencyMs: 100 })
  const devices = await rig.androids(100)
  const row = rig.peers.queue('android', devices, { tries: 1 })
  await rig.peers.point(row)
  await until(() => rig.peers.outcomesOf(row).length > 10)

  process.kill('SIGTERM')
  const code = await ended

  expect(code).toBe(0)
  const [finish] = row.finished
  const sent = finish ? sentTo(row, finish) : []
  const retried = finish?.retries ?? []
  expect(sent.length).toBeLessThan(100)
  expect(new Set(retried.map(({ tries }) => tries))).toEqual(new Set([1]))
  expect(
    rig.peers
      .outcomesOf(row)
      .map(({ subscriptionId }) => subscriptionId)
      .toSorted(),
  ).toEqual(sent.toSorted())
  expect(await rig.simulator.arrivedAt(devices)).toHaveLength(sent.length)
})

// spec: sending/clean-stop
test('after SIGTERM a push without an answer for 8 s counts as an attempt, and the dispatcher exits with 0', async () => {
  const { process, ended } = await rig.start()
  const devices = await rig.androids(3, { behaviour: { answer: 'slow', delayMs: 60_000 } })
  const row = rig.peers.queue('android', devices)
  await rig.peers.point(row)
  await until(async () => (await rig.simulator.arrivedAt(devices)).length === 3)

  process.kill('SIGTERM')
  expect(await ended).toBe(0)

  expect(row.finished[0]?.retries.map(({ tries }) => tries)).toEqual([1, 1, 1])
})
