import type { ChildProcess } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { natsAuthorization } from '@herald/contracts/grants'
import { findRunningNatsServer, startNatsServer } from '@herald/embedded/nats-server'
import { findRunningPostgres, startPostgres } from '@herald/embedded/postgres'
import type { LogFile } from './logs.ts'
import type { Secrets } from './secrets.ts'
import type { Unit } from './supervisor.ts'

/** Makes the unit for the embedded Postgres, which always has the same directory and port. `onReady` is called with the owner's database address. */
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

/**
 * Makes the unit for the embedded nats-server. It restarts the server when a full disk has space again, because the server would still not write to a
 * stream that failed before. Only services may connect, with their grants.
 */
export function natsUnit(options: { dataDir: string; port: number; passwords: Secrets['natsPasswords']; log: LogFile }): Unit {
  return {
    name: 'nats-server',
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    async start(onSpawn) {
      const { dataDir, port, passwords, log } = options
      const storeDir = natsDirectory(dataDir)
      let waits = false
      let child: ChildProcess | undefined
      const endOnceThereIsSpace = async () => {
        await untilSpace(storeDir)
        log.append('[herald] the disk was full and has space again: nats-server is restarted, it would not write otherwise\n')
        child?.kill('SIGTERM')
      }
      await startNatsServer({
        storeDir,
        port,
        configuration: natsAuthorization(passwords),
        detached: true,
        onSpawn(spawned) {
          child = spawned
          onSpawn(spawned)
        },
        onLog(text) {
          log.append(text)
          if (waits || !text.includes('no space left on device')) return
          waits = true
          void endOnceThereIsSpace()
        },
      })
    },
  }
}

/**
 * When the full disk has this many bytes free again, nats-server is restarted. Few are enough, because the pointers that it stores are small, and
 * because it is restarted once more if the disk fills again.
 */
const spaceWorthATry = 16_000_000

async function untilSpace(directory: string): Promise<void> {
  for (;;) {
    await wait(1_000, undefined, { ref: false })
    const { bavail, bsize } = await statfs(directory).catch(() => ({ bavail: 0, bsize: 0 }))
    if (bavail * bsize >= spaceWorthATry) return
  }
}

/**
 * Stops servers of an earlier start that still run on the data directory, because both the starter and its guardian were killed. This process has
 * locked the data directory, so no other process uses them.
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
