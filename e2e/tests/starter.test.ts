import { execFileSync } from 'node:child_process'
import { isPortFree } from '@herald/embedded/free-port'
import { isAlive } from '@herald/embedded/processes'
import { until } from '@herald/testing/until'
import { afterAll, expect, test } from 'vitest'
import { freshDataDir, http, removeDataDir, runStarter, startHerald } from '@herald/testing/herald'

const dataDirs: string[] = []
const dataDirOfOurs = () => {
  const dataDir = freshDataDir()
  dataDirs.push(dataDir)
  return dataDir
}
afterAll(() => dataDirs.forEach(removeDataDir))

/** Processes whose command line or environment names the data directory, or that are apps started from it. */
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
    return execFileSync('cat', [`/proc/${pid}/environ`], { stdio: ['ignore', 'pipe', 'ignore'] }).includes(dataDir)
  } catch {
    return false
  }
}

const appOf = (dataDir: string, name: string) => processesOf(dataDir).find(({ command }) => command.includes(`apps/${name}/src/main.ts`))

test('a second start on the same data directory is refused and names the first', async () => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })

  const { starter, output } = runStarter(herald.dataDir)
  const code = await new Promise((done) => starter.once('exit', done))

  expect(code).not.toBe(0)
  expect(output()).toContain(String(herald.starter.pid))
  expect(await herald.stop()).toBe(0)
})

test('what dies is started again: every app, Postgres and nats-server', async () => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })
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

  await until(async () => (await http('GET', `${herald.baseUrl}/health`)).status === 200, { withinMs: 30_000, what: 'health' })
  expect(await herald.stop()).toBe(0)
})

test('a gateway that is killed or stopped refuses nobody: who connects meanwhile is answered by the next one', async () => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { pid } = appOf(herald.dataDir, 'gateway')!
    process.kill(pid, signal)
    await until(() => !isAlive(pid), { withinMs: 15_000, what: 'the gateway has ended' })
    expect((await http('GET', `${herald.baseUrl}/health`)).status).toBe(200)
  }
  expect(await herald.stop()).toBe(0)
  expect(await isPortFree(Number(new URL(herald.baseUrl).port))).toBe(true)
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops everything and exits 0', async (signal) => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })

  expect(await herald.stop(signal)).toBe(0)

  expect(processesOf(herald.dataDir)).toEqual([])
})

test('a starter killed with -9 leaves nothing running within five seconds', async () => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })
  expect(processesOf(herald.dataDir).length).toBeGreaterThan(8)

  herald.starter.kill('SIGKILL')

  await until(() => processesOf(herald.dataDir).length === 0, { withinMs: 5_000, what: 'nothing running' })
  const again = await startHerald({ dataDir: herald.dataDir })
  expect(await again.stop()).toBe(0)
})

test('a frozen Postgres makes every data endpoint answer 503 database_unavailable within two seconds, and back again', async () => {
  const herald = await startHerald({ dataDir: dataDirOfOurs() })
  const postgres = processesOf(herald.dataDir).filter(({ command }) => /postgres/.test(command))
  const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const pids = postgres.flatMap(({ pid }) => [pid, ...all.filter(([, parent]) => parent === pid).map(([child]) => child!)])
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    const frozenAt = performance.now()
    await until(async () => (await http('GET', `${herald.baseUrl}/health`)).status === 503, { withinMs: 2_000, what: '503' })
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
    expect(performance.now() - frozenAt).toBeLessThan(4_000)
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await until(async () => (await http('GET', `${herald.baseUrl}/health`)).status === 200, { withinMs: 2_000, what: 'back' })
  expect(await herald.stop()).toBe(0)
})
