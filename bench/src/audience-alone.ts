import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { AppName } from '@herald/contracts/call'
import { startNatsServer } from '@herald/embedded/nats-server'
import { startPostgres } from '@herald/embedded/postgres'
import { openBus, type Bus } from '@herald/service/bus'
import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { migrate } from '@herald/service/migrate'
import { provision } from '@herald/service/provision'
import type { Service } from '@herald/service/run'

// Runs audience as a process, with a Postgres and a nats-server made for it. The bench answers in place of the other services.

const root = resolve(import.meta.dirname, '../..')

/** Functions that are called at the end of the bench, the newest first. */
export type Closers = (() => unknown)[]

/** Starts a Postgres with audience's schema, and a nats-server. */
export async function startServers(closers: Closers): Promise<{ databaseUrl: string; natsUrl: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-bench-'))
  closers.push(() => rmSync(directory, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: true, database: 'herald' })
  closers.push(() => postgres.stop())
  const nats = await startNatsServer({ storeDir: join(directory, 'nats') })
  closers.push(() => nats.stop())
  const urls = await provision({ ownerUrl: postgres.url(), apps: ['audience'], passwords: {} })
  await migrate({ ownerUrl: postgres.url(), app: 'audience', directory: join(root, 'apps/audience/migrations') })
  return { databaseUrl: urls['audience'] ?? '', natsUrl: nats.url }
}

/** Starts audience as a process, as `npm start` does. */
export async function startAudience(closers: Closers, databaseUrl: string, natsUrl: string): Promise<void> {
  const child = spawn(process.execPath, ['apps/audience/src/main.ts'], {
    cwd: root,
    env: { ...process.env, DATABASE_URL_AUDIENCE: databaseUrl, NATS_URL: natsUrl, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise((done) => child.once('exit', done))
  closers.push(() => {
    child.kill('SIGTERM')
    return ended
  })
  const isReady = await Promise.race([new Promise((done) => child.once('message', () => done(true))), ended.then(() => false)])
  if (isReady !== true) throw new Error('audience did not start')
}

/** Connects to NATS in place of a service. */
export async function openPeer(closers: Closers, name: AppName, natsUrl: string): Promise<Bus> {
  const service: Service<{ NATS_URL: string }> = {
    name,
    config: { NATS_URL: natsUrl },
    log: openLog(name, 'silent'),
    metrics: openMetrics(),
    needs: () => undefined,
    beforeStop: () => undefined,
    onStop: (_what, close) => void closers.push(close),
  }
  return openBus(service)
}
