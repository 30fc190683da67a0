import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findRunningNatsServer, startNatsServer } from '@herald/embedded/nats-server'
import { findRunningPostgres, startPostgres } from '@herald/embedded/postgres'
import type { LogFile } from './logs.ts'
import type { Unit } from './supervisor.ts'

/** The embedded Postgres as a unit: always on the same directory and port. `onReady` gets the owner's address. */
export function postgresUnit(
  options: { dataDir: string; port: number; connections: number; log: LogFile },
  onReady: (ownerUrl: string) => void,
): Unit {
  return {
    name: 'postgres',
    stopSignal: 'SIGINT',
    killSignal: 'SIGQUIT',
    async start(onSpawn) {
      const server = await startPostgres({
        dataDir: postgresDirectory(options.dataDir),
        port: options.port,
        durable: true,
        database: 'herald',
        settings: { max_connections: String(options.connections) },
        detached: true,
        onSpawn,
        onLog: options.log.append,
      })
      onReady(server.url())
    },
  }
}

/** The embedded nats-server as a unit: always on the same directory and port. */
export function natsUnit(options: { dataDir: string; port: number; log: LogFile }): Unit {
  return {
    name: 'nats-server',
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    async start(onSpawn) {
      const { dataDir, port, log } = options
      await startNatsServer({ storeDir: natsDirectory(dataDir), port, detached: true, onSpawn, onLog: log.append })
    },
  }
}

/**
 * Stops servers that an earlier start left on our directories: when the starter and its guardian were both killed, nobody
 * did. We hold the data directory, so nobody else uses them.
 */
export async function stopForgottenServers(dataDir: string, print: (line: string) => void): Promise<void> {
  const forgotten = [
    { name: 'Postgres', pid: findRunningPostgres(postgresDirectory(dataDir)), signal: 'SIGINT' },
    { name: 'nats-server', pid: findRunningNatsServer(natsDirectory(dataDir)), signal: 'SIGTERM' },
  ] as const
  for (const { name, pid, signal } of forgotten) {
    if (pid === undefined) continue
    print(`stopping the ${name} (pid ${pid}) that an earlier start left behind`)
    process.kill(pid, signal)
  }
  const deadline = Date.now() + 10_000
  const isLeft = () => findRunningPostgres(postgresDirectory(dataDir)) ?? findRunningNatsServer(natsDirectory(dataDir))
  while (isLeft() !== undefined && Date.now() < deadline) await wait(50)
}

const postgresDirectory = (dataDir: string) => join(dataDir, 'postgres')
const natsDirectory = (dataDir: string) => join(dataDir, 'nats')
