import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '@herald/testing/at-end'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { topic, type Row } from './testing/start-peers.ts'
import { startRig } from './testing/start-rig.ts'

/** What a dispatcher does when the network stands still or breaks connections while the provider itself works. */

const rig = await startRig()
afterEach(() => rig.clean())

const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)
const iphones = (count: number) => rig.simulator.devices({ platform: 'ios', count, bundleId: topic, environment: 'production' })

/** Starts a proxy in front of the simulator's APNs. It can stop passing bytes on, in both directions, and break its open connections. */
async function startWay() {
  const { hostname, port } = new URL(rig.simulator.addresses.apns)
  const sockets = new Set<Socket>()
  let isStalled = false
  let answeredBytes = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes: Buffer) => {
        if (from === far) answeredBytes += bytes.length
        to.write(bytes)
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isStalled) from.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, hostname, resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `https://${hostname}:${(server.address() as AddressInfo).port}`,
    get answeredBytes() {
      return answeredBytes
    },
    stall(): void {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    goOn(): void {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
    tear(): void {
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('when the network passes nothing for 0.4 s, three times in a batch, each push arrives once and is sent', async () => {
  const way = await startWay()
  await rig.start({ APNS_URL: way.url, DISPATCH_WINDOW: '40' })
  await rig.simulator.control('PUT', '/faults', { latencyMs: 5 })
  const devices = await iphones(300)
  const row = rig.peers.queue('ios', devices)
  await rig.peers.point(row)
  for (let times = 1; times <= 3; times += 1) {
    await until(async () => (await rig.simulator.arrivedAt(devices)).length >= times * 50, { what: 'pushes arrive' })
    way.stall()
    // The proxy pauses for longer than the time between two checks of time limits, and for far less than the limit for an answer.
    await sleep(400)
    way.goOn()
  }

  const finish = await rig.finishOf(row)

  expect(rig.peers.outcomesOf(row).map(({ outcome }) => outcome)).toEqual(devices.map(() => 'sent'))
  expect([finish.retries, finish.unavailable]).toEqual([[], []])
  expect((await rig.simulator.arrivedAt(devices)).map(({ deviceId }) => deviceId).toSorted()).toEqual(
    devices.map(({ id }) => id).toSorted(),
  )
})

test('when connections break, each push has an outcome or goes back to audience; sent again, it has the same identity', async () => {
  const way = await startWay()
  await rig.start({ APNS_URL: way.url, DISPATCH_WINDOW: '40' })
  await rig.simulator.control('PUT', '/faults', { latencyMs: 20 })
  const devices = await iphones(200)
  const row = rig.peers.queue('ios', devices)
  await rig.peers.point(row)
  for (let times = 0; times < 3; times += 1) {
    const before = way.answeredBytes
    await until(() => way.answeredBytes > before + 1_000, { what: 'answers come' })
    way.tear()
  }

  const finish = await rig.finishOf(row)

  const unanswered = finish.unavailable.map(({ subscriptionId }) => subscriptionId)
  const settled = idsOf(row).filter(
    (_, index) => rig.peers.outcomesOf({ ...row, recipients: row.recipients.slice(index, index + 1) }).length > 0,
  )
  expect([...settled, ...unanswered].toSorted()).toEqual(idsOf(row).toSorted())
  expect(unanswered.length).toBeGreaterThan(0)
  expect(finish.unavailable.every(({ code, tries }) => code === 'network_error' && tries === 1)).toBe(true)

  // Audience queues unanswered pushes like this: the same pushes of the same campaign once more.
  const recipients = row.recipients.filter(({ subscriptionId }) => unanswered.includes(subscriptionId))
  const again = rig.peers.queue('ios', [], { campaignId: row.campaignId, recipients, tries: 1 })
  await rig.peers.point(again)
  await rig.finishOf(again)

  const arrived = Map.groupBy(await rig.simulator.arrivedAt(devices), ({ deviceId }) => deviceId)
  expect([...arrived.keys()].toSorted()).toEqual(devices.map(({ id }) => id).toSorted())
  for (const copies of arrived.values()) expect(new Set(copies.map(({ id }) => id)).size).toBe(1)
})
