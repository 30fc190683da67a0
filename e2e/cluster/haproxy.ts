import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@herald/embedded/free-port'
import { unpackDebian } from '@herald/tools/debian'

const packages = [
  'haproxy',
  'liblua5.3-0',
  'libopentracing-c-wrapper0',
  'libopentracing1',
  'libpcre2-8-0',
  'libssl3',
  'libcrypt1',
  'libsystemd0',
  'libstdc++6',
]
const given = resolve(import.meta.dirname, '../../deploy/haproxy/postgres.cfg')

/** A server behind HAProxy. `isPrimary` is what its check is answered with: 200 for true, 503 for false, as Patroni does. */
export type Behind = { port: number; isPrimary: () => Promise<boolean> }

/** Starts HAProxy with deploy/haproxy/postgres.cfg, in which only the addresses are changed. `port` leads to the server whose check is answered 200. */
export async function startHaproxy(servers: [Behind, Behind]): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-haproxy-'))
  const checks = await Promise.all(servers.map(({ isPrimary }) => answerChecks(isPrimary)))
  const port = await freePort()
  const configuration = servers.reduce(
    (text, server, place) =>
      text.replace(
        `postgres-${place + 1}:5432 check port 8008`,
        `127.0.0.1:${server.port} check port ${checks[place]?.port} addr 127.0.0.1`,
      ),
    readFileSync(given, 'utf8').replace('bind :5432', `bind 127.0.0.1:${port}`),
  )
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration)
  const unpacked = unpackDebian('haproxy', packages, 'bookworm')
  const child = spawn(join(unpacked, 'usr/sbin/haproxy'), ['-db', '-f', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((part) => join(unpacked, part)).join(':'),
    },
  })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)))
  const started = performance.now()
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > started + 10_000) throw new Error(`HAProxy does not listen: ${said}`)
    await sleep(50)
  }
  return {
    port,
    async stop() {
      const ended = new Promise((done) => child.once('exit', done))
      if (child.exitCode === null && child.kill('SIGTERM')) await ended
      for (const { close } of checks) close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Answers HAProxy's checks as Patroni does. A server that cannot be asked is no primary. */
async function answerChecks(isPrimary: () => Promise<boolean>): Promise<{ port: number; close: () => void }> {
  const server = createServer((request, response) => {
    if (request.url !== '/primary') return void response.writeHead(404).end()
    void isPrimary()
      .catch(() => false)
      .then((yes) => response.writeHead(yes ? 200 : 503).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
