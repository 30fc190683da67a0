import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { isPortFree } from '@herald/embedded/free-port'
import { holdPort, type HeldPort } from '@herald/embedded/held-port'
import { childEnvironment } from '@herald/testing/child-environment'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { serverArgs } from '@herald/testing/programs'
import { until } from '@herald/testing/until'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { adminToken, hmacSecret, sealKeys } from '../testing/start-gateway.ts'

const nats = await freshNats()
const { url } = await freshDatabase()

/** A long time limit, because these gateways share the machine with other tests. */
const patiently = { withinMs: 60_000 }

/**
 * Starts a gateway as an operator does: a process of its own, on a port of its own or on a socket that it is given. Resolves when the gateway
 * listens.
 */
async function startProcess(listenOn: number | HeldPort, settings: Record<string, string> = {}) {
  const where = typeof listenOn === 'number' ? { PORT: String(listenOn) } : { LISTEN_FDS: '1' }
  const child = spawn(process.execPath, serverArgs('gateway'), {
    env: {
      ...childEnvironment,
      DATABASE_URL_GATEWAY: url('gateway'),
      NATS_URL: nats,
      ADMIN_TOKEN: adminToken,
      HMAC_SECRET: hmacSecret,
      SEAL_KEYS: sealKeys,
      ...where,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit', typeof listenOn === 'number' ? 'ignore' : listenOn.fd],
  })
  afterAll(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)))
  let output = ''
  child.stdout?.on('data', (data: Buffer) => {
    if (output.length < 10_000) output += data.toString()
  })
  const bound = await until(() => Number(/"port":(\d+),"msg":"listening"/.exec(output)?.[1] ?? 0), patiently)
  return {
    port: bound,
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

async function heldPort(): Promise<HeldPort> {
  const held = await holdPort(0)
  onTestFinished(() => held.close())
  return held
}

/** A request that was not answered with 200: what it got instead, and when (`performance.now()`). */
type Lost = { answer: number | string; begunAt: number; endedAt: number }

/** Starts clients that ask again as soon as they are answered, each on one connection or on a new connection for every request. */
function startClients(port: number, { keepAlive, count }: { keepAlive: boolean; count: number }) {
  const agent = new Agent({ keepAlive, maxSockets: count })
  const askOnce = () =>
    new Promise<number | string>((done) => {
      request({ host: '127.0.0.1', port, path: '/health', agent }, (response) => {
        response.on('error', (error) => done(error.message))
        response.resume().on('end', () => done(response.statusCode ?? 0))
      })
        .on('error', (error) => done(error.message))
        .end()
    })
  const lost: Lost[] = []
  let total = 0
  let stopped = false
  const clients = Array.from({ length: count }, async () => {
    while (!stopped) {
      const begunAt = performance.now()
      const answer = await askOnce()
      if (answer !== 200) lost.push({ answer, begunAt, endedAt: performance.now() })
      total += 1
    }
  })
  return {
    /** Resolves when `more` further requests have ended, with an answer or an error. */
    async asked(more: number) {
      const enough = total + more
      await until(() => total >= enough, patiently)
    },
    async stop() {
      stopped = true
      await Promise.all(clients)
      agent.destroy()
      return lost
    },
  }
}

/** This many clients ask at once, half of each kind. Each client has one request under way at a time. */
const clientCount = 20

/** Starts clients that keep their connection and clients that do not, at the same time. */
function startBothKinds(port: number) {
  const both = [true, false].map((keepAlive) => startClients(port, { keepAlive, count: clientCount / 2 }))
  const clients = {
    async asked(more: number) {
      await Promise.all(both.map((kind) => kind.asked(more)))
    },
    stop: async () => (await Promise.all(both.map((kind) => kind.stop()))).flat(),
  }
  onTestFinished(async () => void (await clients.stop()))
  return clients
}

// spec: running/no-refused-connection
test('when a single gateway is replaced repeatedly no client gets an error: new connections wait for the next', async () => {
  const held = await heldPort()
  let gateway = await startProcess(held)
  const clients = startBothKinds(held.port)
  for (const _ of Array(4)) {
    await clients.asked(100)
    expect(await gateway.stop()).toBe(0)
    gateway = await startProcess(held)
  }
  await clients.asked(100)

  expect(await clients.stop()).toEqual([])
  expect(await gateway.stop()).toBe(0)
}, 180_000)

test('when two gateways on one socket are replaced in turn no client gets an error', async () => {
  const held = await heldPort()
  const gateways = [await startProcess(held), await startProcess(held)]
  const clients = startBothKinds(held.port)
  for (const turn of [0, 1, 0, 1]) {
    await clients.asked(100)
    expect(await gateways[turn]?.stop()).toBe(0)
    gateways[turn] = await startProcess(held)
  }
  await clients.asked(100)

  expect(await clients.stop()).toEqual([])
  for (const gateway of gateways) expect(await gateway.stop()).toBe(0)
}, 180_000)

test('a killed gateway loses at most requests under way; once no process has the socket its port is free', async () => {
  const held = await heldPort()
  let gateway = await startProcess(held)
  const clients = startBothKinds(held.port)
  const deaths: { killedAt: number; goneAt: number }[] = []
  for (const _ of Array(3)) {
    await clients.asked(100)
    const killedAt = performance.now()
    await gateway.stop('SIGKILL')
    deaths.push({ killedAt, goneAt: performance.now() })
    gateway = await startProcess(held)
  }
  await clients.asked(100)
  const lost = await clients.stop()

  const lostBy = deaths.map(
    ({ killedAt, goneAt }) => lost.filter(({ begunAt, endedAt }) => begunAt <= goneAt && endedAt >= killedAt).length,
  )
  for (const count of lostBy) expect(count).toBeLessThanOrEqual(clientCount)
  expect(lostBy.reduce((sum, count) => sum + count)).toBe(lost.length)
  expect(await gateway.stop()).toBe(0)
  held.close()
  expect(await isPortFree(held.port)).toBe(true)
}, 180_000)

test('when gateways with a socket each are replaced in turn, clients that keep their connections get no error', async () => {
  expect(await rollOnePort({ keepAlive: true, count: 20 })).toEqual([])
}, 180_000)

test('when gateways with own sockets are replaced in turn no client gets an error, but by the kernel’s dropped queue', async () => {
  const handsOver = readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1'
  const lost = await rollOnePort({ keepAlive: false, count: 10 })
  // A connection in the accept queue is reset while it connects (the error then names the address), while it asks, or while it waits for the answer.
  expect(lost.filter(({ answer }) => handsOver || !/^(connect|write|read) ECONNRESET\b/.test(String(answer)))).toEqual([])
}, 180_000)

/**
 * Replaces gateways that share a port and no socket, as containers do: each new gateway starts before the old one stops. Gives the requests that were
 * lost.
 */
async function rollOnePort(load: { keepAlive: boolean; count: number }): Promise<Lost[]> {
  let gateway = await startProcess(0)
  const { port } = gateway
  const clients = startClients(port, load)
  onTestFinished(async () => void (await clients.stop()))
  for (const _ of Array(2)) {
    const young = await startProcess(port)
    await clients.asked(100)
    expect(await gateway.stop()).toBe(0)
    gateway = young
  }
  await clients.asked(100)
  const lost = await clients.stop()
  await gateway.stop()
  return lost
}

test('a gateway does not use a socket that was handed over when LISTEN_PID names another process', async () => {
  const held = await heldPort()
  const gateway = await startProcess(held, { LISTEN_PID: '1', PORT: '0' })
  expect(gateway.port).not.toBe(held.port)
  expect(await gateway.stop()).toBe(0)
}, 180_000)
