import { spawn, type ChildProcess } from 'node:child_process'
import { resolve as absolute } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { findRunningPostgres, makeClusterIfAbsent, postgresEnvironment, readPassword } from './postgres-directory.ts'
import { endChild } from './processes.ts'
import { EmbeddedServerError, isDiskFull } from './server-error.ts'
import { commandFor, findAccount } from './unprivileged.ts'

export { findRunningPostgres } from './postgres-directory.ts'

export type PostgresOptions = {
  /** The data directory, which is made when it does not exist. It is on Postgres' command line. */
  dataDir: string
  /** The port; a free one when absent. */
  port?: number
  /** True: with fsync, and a password in `<dataDir>.password` (0600). False, for tests: no fsync, and everyone on 127.0.0.1 is trusted. */
  durable: boolean
  /** The name of a database that is made together with the directory. `url()` then gives its address. */
  database?: string
  /** More server settings, such as `{ work_mem: '16MB' }`. */
  settings?: Record<string, string>
  /** Runs Postgres in a process group of its own, so that a Ctrl-C in the terminal reaches only the starter. */
  detached?: boolean
  /** Is called with the process at each attempt, as soon as it has started and before it is ready. */
  onSpawn?: (child: ChildProcess) => void
  /** Is called with what Postgres logs. */
  onLog?: (text: string) => void
}

export type RunningPostgres = {
  /** Gives the superuser's URL of a database. Without a name, it is the database of the option `database`, or else `postgres`. */
  url: (database?: string) => string
  port: number
  pid: number
  child: ChildProcess
  /** Shuts Postgres down (fast) and returns when it has ended. */
  stop: () => Promise<void>
}

/** How many connections the server allows by default: enough for all pools of three processes of each service (spec: running/connections). */
export const maxConnections = 256

/**
 * Starts the installed Postgres on 127.0.0.1, as root too, and returns when it accepts connections. Waits up to 10 s for the end of an earlier one on
 * the directory. Throws an EmbeddedServerError when it cannot start.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = absolute(options.dataDir)
  const binaries = await findPostgresBinaries()
  const account = findAccount()
  if (account === undefined)
    throw new EmbeddedServerError('Postgres does not run as root and there is no other user. Run as an ordinary user, or set DATABASE_URL.')

  const deadline = Date.now() + 10_000
  await waitUntilUnused(dataDir, deadline)
  makeClusterIfAbsent({ dataDir, durable: options.durable, database: options.database, account, binaries })
  const password = readPassword(dataDir)

  for (;;) {
    const port = options.port ?? (await freePort())
    const command = commandFor(account, binaries.postgres, serverArguments(dataDir, port, options))
    const child = spawn(command.file, command.args, {
      ...command.as,
      env: postgresEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: options.detached ?? false,
    })
    options.onSpawn?.(child)
    const start = await untilReady(child, options.onLog)
    if (start.ready) return running(child, port, password, options.database)
    const mayPass = start.log.includes('shared memory block') || (options.port === undefined && isPortTaken(start.log))
    if (!mayPass || Date.now() > deadline) throw startError(dataDir, port, start.log)
    await wait(200)
  }
}

async function waitUntilUnused(dataDir: string, deadline: number): Promise<void> {
  for (let pid = findRunningPostgres(dataDir); pid !== undefined; pid = findRunningPostgres(dataDir)) {
    if (Date.now() > deadline) {
      throw new EmbeddedServerError(
        `Another Postgres (pid ${pid}) runs on ${dataDir}. Stop what started it, or that process: kill -INT ${pid}`,
      )
    }
    await wait(100)
  }
}

function serverArguments(dataDir: string, port: number, { durable, settings }: PostgresOptions): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(maxConnections),
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  }
  return ['-D', dataDir, '-p', String(port), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function untilReady(child: ChildProcess, onLog: ((text: string) => void) | undefined): Promise<{ ready: boolean; log: string }> {
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      onLog?.(text)
      if (log.length < 100_000) log += text
      // A standby says that its connections are read-only.
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve({ ready: true, log })
    })
    child.once('error', reject)
    // Waits for 'close' and not for 'exit', because the last output of a failed start comes after the exit.
    child.once('close', () => resolve({ ready: false, log }))
  })
}

function running(child: ChildProcess, port: number, password: string | undefined, database = 'postgres'): RunningPostgres {
  // When this process ends suddenly (an uncaught error), Postgres must end too. SIGQUIT is its immediate shutdown.
  const endWithUs = () => void child.kill('SIGQUIT')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  const user = password === undefined ? 'postgres' : `postgres:${password}`
  return {
    url: (name = database) => `postgres://${user}@127.0.0.1:${port}/${name}`,
    port,
    pid: child.pid ?? 0,
    child,
    stop: () =>
      endChild(child, 'SIGINT', [
        [5_000, 'SIGQUIT'],
        [2_000, 'SIGKILL'],
      ]),
  }
}

const isPortTaken = (log: string) => /could not bind|Address already in use/.test(log)

function startError(dataDir: string, port: number, log: string): EmbeddedServerError {
  if (isDiskFull(log)) return new EmbeddedServerError(`The disk that holds ${dataDir} is full: Postgres cannot start.`)
  if (isPortTaken(log)) return new EmbeddedServerError(`Port ${port} of 127.0.0.1, meant for Postgres, is taken by another program.`)
  return new EmbeddedServerError(`Postgres did not start on ${dataDir}: ${log.trim()}`)
}
