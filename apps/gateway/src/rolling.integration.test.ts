import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { resolve } from 'node:path'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { adminToken, hmacSecret, sealKeys } from './testing/start-gateway.ts'

const nats = await freshNats()
const { url } = await freshDatabase()

/** Processes share the machine with other tests. */
const patiently = { withinMs: 60_000 }

/** A gateway as it is started in earnest: a process of its own. Answers when it listens. */
async function startProcess(port: number) {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL_GATEWAY: url('gateway'),
      NATS_URL: nats,
      ADMIN_TOKEN: adminToken,
      HMAC_SECRET: hmacSecret,
      SEAL_KEYS: sealKeys,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  afterAll(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)))
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    if (output.length < 10_000) output += data.toString()
  })
  const bound = await until(() => Number(/"port":(\d+),"msg":"listening"/.exec(output)?.[1] ?? 0), patiently)
  return {
    port: bound,
    async stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Clients that ask as fast as they are answered, each on one connection or on a new one for every request. */
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
  const answers = new Map<number | string, number>()
  let total = 0
  let stopped = false
  const clients = Array.from({ length: count }, async () => {
    while (!stopped) {
      const answer = await askOnce()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      total += 1
    }
  })
  return {
    total: () => total,
    async stop() {
      stopped = true
      await Promise.all(clients)
      agent.destroy()
      return answers
    },
  }
}

/** Replaces gateways one after the other while clients ask, and answers what these were answered, with how often. */
async function rollUnderLoad(load: { keepAlive: boolean; count: number }) {
  let gateway = await startProcess(0)
  const { port } = gateway
  const clients = startClients(port, load)
  onTestFinished(async () => void (await clients.stop()))
  for (const _ of Array(2)) {
    const young = await startProcess(port)
    const before = clients.total()
    await until(() => clients.total() > before + 100, patiently)
    expect(await gateway.stop()).toBe(0)
    gateway = young
  }
  const answers = await clients.stop()
  await gateway.stop()
  return answers
}

test('gateways that are replaced one after the other cost clients that keep their connections no error', async () => {
  expect([...(await rollUnderLoad({ keepAlive: true, count: 20 })).keys()]).toEqual([200])
}, 180_000)

test('clients that connect anew for each request lose nothing either, but who stands in the queue of a kernel that does not hand it over', async () => {
  const handsOver = readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1'
  const answers = await rollUnderLoad({ keepAlive: false, count: 10 })
  const other = [...answers.keys()].filter((answer) => answer !== 200)
  expect(other.filter((answer) => handsOver || answer !== 'read ECONNRESET')).toEqual([])
  expect(answers.get(200)).toBeGreaterThan(200)
}, 180_000)
