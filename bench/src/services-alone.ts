import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { AppName, AppWithDatabase } from '@herald/contracts/call'
import { startNatsServer } from '@herald/embedded/nats-server'
import { startPostgres, type PostgresOptions } from '@herald/embedded/postgres'
import { endChild } from '@herald/embedded/processes'
import { openBus, type Bus } from '@herald/service/bus'
import { openLifecycle } from '@herald/service/lifecycle'
import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { migrate } from '@herald/service/migrate'
import { provision } from '@herald/service/provision'
import { buildServices, serverArgs } from '@herald/testing/programs'
import { say } from './options.ts'

const root = resolve(import.meta.dirname, '../..')

/** Some services as processes, with a Postgres and a nats-server of their own. The bench answers in place of the other services. */
export type ServicesAlone = {
  /** The directory with the data of both servers, which is removed at the end. */
  directory: string
  /** The address of the database's owner. */
  ownerUrl: string
  databaseUrl: (service: AppWithDatabase) => string
  /** Connects to NATS in place of a service. The gateway must come first, because it makes the streams for which the others wait. */
  openPeer: (name: AppName) => Promise<Bus>
  spawnService: (service: AppWithDatabase, environment?: Record<string, string>) => ChildProcess
  /** Spawns a service and waits until it is ready. */
  startService: (service: AppWithDatabase, environment?: Record<string, string>) => Promise<ChildProcess>
  /** Registers a function that runs at the end, before those that were registered earlier. */
  atEnd: (close: () => unknown) => void
}

/**
 * Starts a Postgres (with fsync, unless `options` say otherwise) and a nats-server, makes the schemas of the services, does the work, and ends all
 * processes.
 */
export async function withServicesAlone(
  services: readonly AppWithDatabase[],
  work: (alone: ServicesAlone) => Promise<unknown>,
  options: Partial<PostgresOptions> = {},
): Promise<void> {
  buildServices()
  const directory = mkdtempSync(join(tmpdir(), 'herald-bench-'))
  const closers: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  try {
    const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: true, database: 'herald', ...options })
    closers.push(() => postgres.stop())
    const nats = await startNatsServer({ storeDir: join(directory, 'nats') })
    closers.push(() => nats.stop())
    const urls = await provision({ ownerUrl: postgres.url(), apps: services, passwords: {} })
    for (const app of services) await migrate({ ownerUrl: postgres.url(), app, directory: join(root, 'apps', app, 'migrations') })

    const databaseUrl = (service: AppWithDatabase) => urls[service] ?? ''
    const spawnService = (service: AppWithDatabase, environment: Record<string, string> = {}) => {
      const own = { NATS_URL: nats.url, [`DATABASE_URL_${service.toUpperCase()}`]: databaseUrl(service) }
      const child = spawn(process.execPath, serverArgs(service), {
        env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...environment, ...own },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      closers.push(() => endChild(child, 'SIGTERM', []))
      return child
    }
    await work({
      directory,
      ownerUrl: postgres.url(),
      databaseUrl,
      openPeer(name) {
        const lifecycle = openLifecycle()
        closers.push(() => lifecycle.stop((what, error) => say(`${what} did not close: ${String(error)}`)))
        return openBus({ name, config: { NATS_URL: nats.url }, log: openLog(name, 'silent'), metrics: openMetrics(), ...lifecycle })
      },
      spawnService,
      async startService(service, environment) {
        const child = spawnService(service, environment)
        await new Promise((ready, fail) => {
          child.once('message', ready)
          child.once('exit', (code) => fail(new Error(`${service} ended with ${code}`)))
        })
        return child
      },
      atEnd: (close) => void closers.push(close),
    })
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}
