// A client for the benchmark http2.ts. It runs as a process, so that its CPU time can be measured. Its argument is JSON; its result is one line of
// JSON.
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { openOrigin } from '@herald/http2/client/origin'
import { prepareHead } from '@herald/http2/client/head'

export type ClientTask = {
  client: 'own' | 'node:http2'
  url: string
  caPath: string
  tokens: string[]
  headers: Record<string, string>
  warmUp: number
  pushes: number
  /** The client has at most this many pushes without an answer at any time. */
  window: number
}
export type ClientResult = { pushesPerSecond: number; cpuMicroseconds: number; rssMb: number }

const task = JSON.parse(process.argv[2] ?? '') as ClientTask
const body = Buffer.from(
  JSON.stringify({
    aps: { alert: { title: 'Hello', body: 'This is a push notification of a usual size for the test' }, sound: 'default' },
    msgId: 'm'.repeat(60),
  }),
)
const ca = readFileSync(task.caPath)
const pathOf = (n: number) => `/3/device/${task.tokens[n % task.tokens.length]}`

function openOwn() {
  const { hostname, port, host } = new URL(task.url)
  const origin = openOrigin({ host: hostname, port: Number(port), ca, limits: { connections: 1 } })
  const head = prepareHead({ authority: host, fields: Object.entries(task.headers) })
  return {
    async push(n: number): Promise<void> {
      const reply = await origin.request({ head, path: pathOf(n), body, timeoutMs: 30_000 })
      if (reply.is !== 'answered' || reply.status !== 200) throw new Error(reply.is === 'answered' ? String(reply.status) : reply.reason)
    },
    close: () => origin.close(),
  }
}

function openNode() {
  const session = connect(task.url, { ca, settings: { enablePush: false }, peerMaxConcurrentStreams: 1_000 })
  return {
    push: (n: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ':path': pathOf(n), ...task.headers })
        let status = 0
        stream.on('response', (headers) => (status = Number(headers[':status'])))
        stream.on('error', reject)
        stream.on('end', () => (status === 200 ? resolve() : reject(new Error(String(status)))))
        stream.resume()
        stream.end(body)
      }),
    close: () => new Promise<void>((resolve) => session.close(resolve)),
  }
}

const client = task.client === 'own' ? openOwn() : openNode()
async function run(pushes: number): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: task.window }, async () => {
      while (next < pushes) await client.push(next++)
    }),
  )
}
await run(task.warmUp)
const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
await run(task.pushes)
const seconds = (performance.now() - startedAt) / 1000
const { user, system } = process.cpuUsage(cpu)
const result: ClientResult = {
  pushesPerSecond: Math.round(task.pushes / seconds),
  cpuMicroseconds: (user + system) / task.pushes,
  rssMb: Math.round(process.memoryUsage().rss / 1e6),
}
await client.close()
process.stdout.write(`${JSON.stringify(result)}\n`)
