import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { givenStack, type Stack } from './stack.ts'
import { until } from './until.ts'

const root = resolve(import.meta.dirname, '../../..')

/** All services of Herald, started as `npm start` does it, with a local simulator for the providers and no demo. */
export type Herald = {
  baseUrl: string
  adminToken: string
  dataDir: string
  starter: ChildProcess
  /** The address of the simulator's control API. */
  simulator: string
  /** The owner's address of a database that Herald was given; undefined when it runs the embedded one. */
  ownerUrl?: string
  /** Gives what the starter has printed so far. */
  output(): string
  /**
   * Stops Herald and gives the starter's exit code. Throws when NATS refused a service something, because the service then does more than it is
   * granted.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export const adminToken = 'e2e-administration-token-0123456789abcdef'
/** What a call of the simulator's control API bears. */
export const simulatorToken = 'e2e-simulator-token-0123456789abcdef'
export const toSimulator = { authorization: `Bearer ${simulatorToken}` }

/**
 * Starts Herald on a new (or given) data directory and returns when it is ready. With HERALD_STACK (stack.ts) it starts nothing. `launcher`: a command
 * that becomes the starter (`exec`). `directory`: another clone.
 */
export async function startHerald({
  dataDir = freshDataDir(),
  env = {},
  launcher = [],
  directory = root,
}: { dataDir?: string; env?: Record<string, string>; launcher?: string[]; directory?: string } = {}): Promise<Herald> {
  const stack = givenStack()
  if (stack) return heraldOf(stack, dataDir)
  const { starter, output } = runStarter(dataDir, env, launcher, directory)
  const baseUrl = await until(
    () => {
      if (starter.exitCode !== null) throw new Error(`the starter ended with ${starter.exitCode}: ${output()}`)
      // spec: running/start
      return /^herald ready (\S+)$/m.exec(output())?.[1]
    },
    { withinMs: 90_000, what: 'herald ready' },
  ).catch((error: unknown) => {
    starter.kill('SIGTERM')
    throw new Error(`${String(error)}\n${output()}`, { cause: error })
  })
  const ports = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as Record<string, unknown>
  return {
    baseUrl,
    adminToken,
    dataDir,
    starter,
    simulator: simulatorControl(ports),
    ...(env['DATABASE_URL'] !== undefined && { ownerUrl: env['DATABASE_URL'] }),
    output,
    async stop(signal = 'SIGTERM') {
      const ended = new Promise<number | null>((done) => starter.once('exit', (code) => done(code)))
      if (starter.exitCode !== null || starter.signalCode !== null) return starter.exitCode
      starter.kill(signal)
      const code = await ended
      const refused = refusedByNats(dataDir)
      if (refused !== '') throw new Error(refused)
      return code
    },
  }
}

/**
 * Says what NATS refused the services of a Herald; empty when it refused nothing. A refusal is a fault, because a service then does more than it is
 * granted.
 */
export function refusedByNats(dataDir: string): string {
  const refused = spawnSync('grep', ['-rhF', 'NATS does not allow this', join(dataDir, 'logs')], { encoding: 'utf8' }).stdout
  return refused === '' ? '' : `a service lacks a right (libs/contracts/src/grants.ts): ${refused.slice(0, 1_000)}`
}

const heraldOf = ({ baseUrl, adminToken, simulator }: Stack, dataDir: string): Herald => ({
  baseUrl,
  adminToken,
  simulator,
  dataDir,
  get starter(): ChildProcess {
    throw new Error('a stack of containers has no starter')
  },
  output: () => '',
  stop: () => Promise.resolve(0),
})

/** Starts the starter and returns at once, without waiting until Herald is ready. */
export function runStarter(
  dataDir: string,
  env: Record<string, string> = {},
  launcher: string[] = [],
  directory = root,
): { starter: ChildProcess; output: () => string } {
  let printed = ''
  const [command, ...args] = [...launcher, process.execPath, 'tools/src/start.ts']
  const starter = spawn(command, args, {
    cwd: directory,
    env: {
      ...process.env,
      PORT: '0',
      HERALD_DEMO: 'off',
      HERALD_SIMULATOR: 'on',
      // The starter does not build the pages, because this takes long. A test that needs them builds them once, before it starts anything.
      HERALD_PAGES: 'off',
      HERALD_DATA_DIR: dataDir,
      ADMIN_TOKEN: adminToken,
      SIMULATOR_CONTROL_TOKEN: simulatorToken,
      SUBSCRIBE_RATE_LIMIT: '0',
      IDENTITY_RATE_LIMIT: '0',
      SEND_RATE_LIMIT: '0',
      EVENT_RATE_LIMIT: '0',
      DEVICE_RATE_LIMIT: '0',
      API_RATE_LIMIT: '0',
      ...env,
    },
    // Nothing is sent over the channel. When it closes, the starter knows that this process has ended, and stops what it runs.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  starter.channel?.unref()
  starter.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  starter.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  return { starter, output: () => printed }
}

/** The variable with the path of a data directory that freshDataDir copies (e2e/prepared-data.ts). */
export const preparedData = 'HERALD_PREPARED_DATA'

/** Makes an empty data directory: a Herald on it begins with its first start. */
export const emptyDataDir = (parent = tmpdir()): string => mkdtempSync(join(parent, 'herald-e2e-'))

/** Makes a data directory for a Herald. In a run of tests it is a copy of the prepared one, with the database and its tables. */
export function freshDataDir(parent?: string): string {
  const dataDir = emptyDataDir(parent)
  const prepared = process.env[preparedData]
  // `cp -a` also keeps the owner, which need not be this user (libs/embedded/src/unprivileged.ts).
  if (prepared !== undefined) execFileSync('cp', ['-a', '--reflink=auto', `${prepared}/.`, dataDir])
  return dataDir
}
export const removeDataDir = (dataDir: string): void => rmSync(dataDir, { recursive: true, force: true })

function simulatorControl(ports: Record<string, unknown>): string {
  const control = JSON.stringify(ports).match(/"control":\s*"?(?:http:\/\/127\.0\.0\.1:)?(\d+)/)?.[1]
  return control === undefined ? '' : `http://127.0.0.1:${control}`
}

export type Answer<Body = unknown> = { status: number; headers: Headers; body: Body }

/** Makes an HTTP request with a time limit. The body of the answer is parsed when it is JSON. */
export async function http<Body = unknown>(
  method: string,
  url: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: (text === '' ? undefined : parse(text)) as Body }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
