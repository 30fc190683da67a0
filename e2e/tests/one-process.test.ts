import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apps, appsWithDatabase } from '@herald/contracts/call'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startPlatform } from '../platform.ts'

const herald = await startPlatform({ HERALD_PROCESSES: '1' })
const read = (name: string) => JSON.parse(readFileSync(join(herald.dataDir, name), 'utf8')) as Record<string, unknown>
const serverPid = () => Number(read('processes.json')['server-1'])

// spec: running/one-process
test('in one process each service has its own database role, and the starter restarts it when killed', async () => {
  expect(Object.keys(read('processes.json')).toSorted()).toEqual(['nats-server', 'postgres', 'server-1', 'simulator-1'])
  const password = readFileSync(join(herald.dataDir, 'postgres.password'), 'utf8').trim()
  const owner = new pg.Client({
    host: '127.0.0.1',
    port: Number(read('ports.json')['postgres']),
    user: 'postgres',
    password,
    database: 'herald',
  })
  await owner.connect()
  const { rows } = await owner.query<{ usename: string }>(
    `select distinct usename from pg_stat_activity where application_name ~ '^herald-' and usename ~ '^herald_' order by usename`,
  )
  await owner.end()
  expect(rows.map(({ usename }) => usename)).toEqual(appsWithDatabase.map((app) => `herald_${app}`).toSorted())

  const before = serverPid()
  process.kill(before, 'SIGKILL')
  await until(() => serverPid() > 0 && serverPid() !== before, { what: 'another process' })
  await until(async () => (await fetch(`${herald.baseUrl}/health`)).status === 200, { what: 'health after the kill' })
})

// spec: running/observed
test('a process with all services is ready when all are, and each service has its own metrics', async () => {
  const observe = read('ports.json')['observe'] as Record<string, number>
  const base = `http://127.0.0.1:${observe['server-1']}`

  await until(async () => (await fetch(`${base}/readyz`)).status === 200, { what: 'readiness' })
  const metrics = await (await fetch(`${base}/metrics`)).text()
  for (const app of apps) expect(metrics).toContain(`herald_nats_up{service="${app}"} 1`)
})

// spec: running/stop
test('on SIGTERM a process with all services ends by itself, and the starter exits with 0', async () => {
  expect(await herald.stop()).toBe(0)
  const log = readFileSync(join(herald.dataDir, 'logs/server-1.log'), 'utf8')
  expect(log).toContain('"msg":"stopped"')
  expect(log).not.toContain('stop took too long')
})
