import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { isPortFree } from '@herald/embedded/free-port'
import { startNatsServer } from '@herald/embedded/nats-server'
import { isAlive } from '@herald/embedded/processes'
import { promised } from '@herald/testing/promised'
import { until } from '@herald/testing/until'
import { afterAll, expect, test } from 'vitest'
import { emptyDataDir, freshDataDir, http, removeDataDir, runStarter, startHerald } from '@herald/testing/herald'

const dataDirs: string[] = []
const dataDirOfOurs = (dataDir = freshDataDir()) => {
  dataDirs.push(dataDir)
  return dataDir
}
/** The Herald of the tests that leave it running, after its first start. The test of SIGTERM stops it, else the end of the file does. */
const herald = await startHerald({ dataDir: dataDirOfOurs(emptyDataDir()) })
afterAll(async () => {
  await herald.stop()
  dataDirs.forEach(removeDataDir)
})

/** Lists the processes that belong to a data directory: its path is in their command line or environment. */
function processesOf(dataDir: string): { pid: number; command: string }[] {
  return execFileSync('ps', ['-eww', '-o', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ pid: Number(match[1]), command: match[2] ?? '' }))
    .filter(({ pid, command }) => pid !== process.pid && (command.includes(dataDir) || environmentNames(pid, dataDir)))
}

function environmentNames(pid: number, dataDir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(dataDir)
  } catch {
    return false
  }
}

const appOf = (dataDir: string, name: string) =>
  processesOf(dataDir).find(({ command }) => command.includes(`server.mjs --service ${name}`))

// spec: running/one-per-directory
test('a second `npm start` on the same data directory is refused, and the refusal names the first process', async () => {
  const { starter, output } = runStarter(herald.dataDir)
  const code = await new Promise((done) => starter.once('exit', done))

  expect(code).not.toBe(0)
  expect(output()).toContain(String(herald.starter.pid))
})

// spec: running/restarted
test('when a service, Postgres or nats-server dies, the starter starts it again', async () => {
  for (const name of ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']) {
    const before = appOf(herald.dataDir, name)
    process.kill(before!.pid, 'SIGKILL')
    await until(() => (appOf(herald.dataDir, name)?.pid ?? before!.pid) !== before!.pid, { what: `${name} again` })
  }
  for (const server of [/postgres.* -D /, /nats-server/]) {
    const find = () => processesOf(herald.dataDir).find(({ command }) => server.test(command))
    const before = find()
    process.kill(before!.pid, 'SIGKILL')
    await until(() => (find()?.pid ?? before!.pid) !== before!.pid, { what: `${server} again` })
  }

  const isHealthy = await until(async () => (await http('GET', `${herald.baseUrl}/health`)).status === 200, {
    withinMs: 30_000,
    what: 'health',
  })
  expect(isHealthy).toBe(true)
})

// spec: running/no-refused-connection
test('a client that connects just after a gateway is killed or stopped is not refused: the next gateway answers it', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { pid } = appOf(herald.dataDir, 'gateway')!
    process.kill(pid, signal)
    await until(() => !isAlive(pid), { what: 'the gateway has ended' })
    expect((await http('GET', `${herald.baseUrl}/health`)).status).toBe(200)
  }
})

/** Connects to nats-server without a user and asks for a provider token. Gives what nats-server answers. */
async function askAsStranger(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  socket.on('error', () => undefined)
  socket.write('CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB _INBOX.stranger 1\r\n')
  const question = JSON.stringify({ appId: 'a'.repeat(24), refused: null })
  socket.write(`PUB rpc.gateway.apns-token _INBOX.stranger ${question.length}\r\n${question}\r\nPING\r\n`)
  await until(() => /-ERR|PONG/.test(heard), { what: 'an answer of nats-server' })
  socket.destroy()
  return heard
}

// spec: running/nats-users
test('the embedded NATS wants passwords: each process gets its own, only the files’ owner reads them, no output shows them', async () => {
  const { nats } = JSON.parse(readFileSync(join(herald.dataDir, 'ports.json'), 'utf8')) as { nats: number }

  const heard = await askAsStranger(nats)
  expect(heard).toContain('Authorization Violation')
  expect(heard).not.toContain('MSG ')

  for (const file of ['secrets.json', 'nats/nats-server.conf']) expect(statSync(join(herald.dataDir, file)).mode & 0o777).toBe(0o600)
  const { natsPasswords } = JSON.parse(readFileSync(join(herald.dataDir, 'secrets.json'), 'utf8')) as {
    natsPasswords: Record<string, string>
  }
  const pids = JSON.parse(readFileSync(join(herald.dataDir, 'processes.json'), 'utf8')) as Record<string, number>
  for (const [name, pid] of Object.entries(pids)) {
    const [environment, command] = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'))
    const known = Object.keys(natsPasswords).filter((app) => environment?.includes(natsPasswords[app] ?? ''))
    expect([name, ...known]).toEqual(name.replace(/-1$/, '') in natsPasswords ? [name, name.replace(/-1$/, '')] : [name])
    for (const password of Object.values(natsPasswords)) expect(command).not.toContain(password)
  }
  for (const password of Object.values(natsPasswords)) expect(herald.output()).not.toContain(password)
})

test('an operator’s own NATS works with the users that `npm run nats-users` writes; an open server is warned of', async () => {
  const dataDir = dataDirOfOurs()
  const users = join(dataDir, 'users.conf')
  execFileSync(process.execPath, ['tools/src/write-nats-users.ts', users], { env: { ...process.env, HERALD_DATA_DIR: dataDir } })
  expect(statSync(users).mode & 0o777).toBe(0o600)

  for (const isOpen of [false, true]) {
    const server = await startNatsServer({
      storeDir: join(dataDir, isOpen ? 'open' : 'closed'),
      configuration: isOpen ? '' : readFileSync(users, 'utf8'),
    })
    const herald = await startHerald({ dataDir, env: { NATS_URL: server.url } })
    expect((await http('GET', `${herald.baseUrl}/health`)).status).toBe(200)
    expect(herald.output().includes('the NATS of NATS_URL has no users')).toBe(isOpen)
    expect((await askAsStranger(server.port)).includes('Authorization Violation')).toBe(!isOpen)
    const log = readFileSync(join(dataDir, 'logs', 'dispatcher-1.log'), 'utf8')
    expect(log.includes('NATS lets everyone in')).toBe(isOpen)
    expect(await herald.stop()).toBe(0)
    await server.stop()
  }
})

// spec: running/starter-killed
test('when the starter is killed with -9, everything that it started has ended within five seconds', async () => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })
  expect(processesOf(herald.dataDir).length).toBeGreaterThan(8)

  herald.starter.kill('SIGKILL')

  await promised(5_000, 'the end of everything', () => processesOf(herald.dataDir).length === 0)
  const again = await startHerald({ dataDir: herald.dataDir })
  expect(await again.stop()).toBe(0)
})

// spec: limits/database-away
test('while Postgres is frozen requests are answered 503, and /health is 200 within two seconds after it', async () => {
  const postgres = processesOf(herald.dataDir).filter(({ command }) => /postgres/.test(command))
  const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const pids = postgres.flatMap(({ pid }) => [pid, ...all.filter(([, parent]) => parent === pid).map(([child]) => child!)])
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    await promised(2_000, '503', async () => (await http('GET', `${herald.baseUrl}/health`)).status === 503)
    for (const [method, path] of [
      ['POST', '/v1/notifications'],
      ['POST', '/v1/subscriptions'],
      ['GET', `/v1/campaigns/${'a'.repeat(24)}/stats`],
      ['POST', '/v1/e/o/abc.def'],
    ] as const) {
      const { status, body } = await http<{ error: { code: string } }>(
        method,
        `${herald.baseUrl}${path}`,
        method === 'POST' ? { body: {} } : {},
      )
      expect([path, status, body.error.code]).toEqual([path, 503, 'database_unavailable'])
    }
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await promised(2_000, 'the return', async () => (await http('GET', `${herald.baseUrl}/health`)).status === 200)
})

// spec: running/stop
test.each(['SIGTERM', 'SIGINT'] as const)('on %s every process of Herald ends, and `npm start` exits with 0', async (signal) => {
  const running = signal === 'SIGTERM' ? herald : await startHerald({ dataDir: dataDirOfOurs() })

  expect(await running.stop(signal)).toBe(0)

  expect(processesOf(running.dataDir)).toEqual([])
  expect(await isPortFree(Number(new URL(running.baseUrl).port))).toBe(true)
})
