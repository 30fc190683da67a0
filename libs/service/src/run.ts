import { startOrder, type AppName } from '@herald/contracts/call'
import type { z } from 'zod'
import { describeConfig, ProcessConfig, readSettings, type Read, type Setting } from './config.ts'
import { openLifecycle, type Lifecycle } from './lifecycle.ts'
import type { LocalCalls } from './local-calls.ts'
import { openLog, type Log } from './log.ts'
import { openMetrics, textOfAll, type Metrics } from './metrics.ts'
import { openObservation } from './observe.ts'
import { flushSpans } from './trace.ts'

/** What the code of a service gets when it starts. The code registers everything that it opens; what was opened last is closed first. */
export type Service<Config = unknown> = Pick<Lifecycle, 'needs' | 'beforeStop' | 'onStop'> & {
  readonly name: AppName
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  /** The calls that services of this process answer. Undefined when the service is alone in its process. */
  readonly local?: LocalCalls | undefined
}

type Start<Config> = (service: Service<Config>) => Promise<unknown>
/** A service that a process can run: its settings, and the function that starts it. */
export type Program = {
  readonly name: AppName
  describe(): Setting[]
  /** Reads the settings of the service, and gives the function that starts it with them. */
  read(): Read<Start<unknown>>
}

export const program = <Shape extends z.ZodRawShape>(
  name: AppName,
  schema: z.ZodObject<Shape>,
  start: Start<z.infer<z.ZodObject<Shape>>>,
): Program => ({
  name,
  describe: () => describeConfig(schema),
  read() {
    const { value, problems } = readSettings(schema, name)
    return { value: value && ((service) => start({ ...service, config: value })), problems }
  },
})

/** A stop may take at most this long; then the process exits. Work that is in flight at that moment is repaired as after a crash. */
const stopWithinMs = 10_000

/**
 * Runs services in this process, serves probes and metrics, and tells a parent with an IPC channel when all are up. SIGTERM, SIGINT or a closed
 * channel stop them. Exits with 0, 3 (slow stop) or 1 (error).
 */
export async function runServices(programs: readonly Program[]): Promise<void> {
  const [first] = programs
  const only = programs.length === 1 ? first : undefined
  const own = orExit([readSettings(ProcessConfig)])[0]
  const starts = orExit(programs.map((each) => each.read()))
  if (!own || !first) throw new Error('a process runs at least one service')

  const log = openLog(only?.name ?? 'herald', own.LOG_LEVEL)
  const ofProcess = openMetrics()
  ofProcess.watchProcess()
  const local: LocalCalls | undefined = only ? undefined : new Map()
  const services = programs.map(({ name }, index) => ({
    name,
    start: starts[index],
    lifecycle: openLifecycle(),
    metrics: only ? ofProcess : openMetrics(name),
    log: only ? log : openLog(name, own.LOG_LEVEL),
  }))
  const outer = openLifecycle()

  let stopping = false
  const failed = (what: string, error: unknown) => log.error({ what, err: error }, 'did not close cleanly')
  const stop = async (why: string, code: number) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => {
      log.error({ limitMs: stopWithinMs }, 'stop took too long')
      process.exit(code === 0 ? 3 : code)
    }, stopWithinMs).unref()
    for (const group of startOrder.toReversed())
      await Promise.all(services.filter(({ name }) => group.includes(name)).map(({ lifecycle }) => lifecycle.stop(failed)))
    await outer.stop(failed)
    await flushSpans()
    log.info('stopped')
    log.flush()
    process.exit(code)
  }
  process.on('SIGTERM', () => void stop('SIGTERM', 0))
  process.on('SIGINT', () => void stop('SIGINT', 0))
  if (process.channel) process.on('disconnect', () => void stop('the starter is gone', 0))
  // An uncaught error is a bug, and the state of the process is unknown. The process stops taking work, finishes what it has, and is started again.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception')
    void stop('uncaught exception', 1)
  })
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection')
    void stop('unhandled rejection', 1)
  })

  const startOne = async ({ name, start, lifecycle, ...rest }: (typeof services)[number]) => {
    await start?.({ name, config: undefined, ...rest, local, ...lifecycle })
    lifecycle.started()
  }
  try {
    await openObservation(own, {
      waitingFor: () => services.flatMap(({ name, lifecycle }) => lifecycle.waitingFor().map((what) => (only ? what : `${name}: ${what}`))),
      onStop: (what, close) => outer.onStop(what, close),
      text: () => (only ? ofProcess.text() : textOfAll([ofProcess, ...services.map(({ metrics }) => metrics)])),
      log,
    })
    await Promise.all(services.map(startOne))
  } catch (error) {
    log.fatal({ err: error }, 'could not start')
    await stop('could not start', 1)
    return
  }
  log.info('ready')
  if (process.send) process.send({ ready: true })
}

/** Gives the settings that were read. When any is wrong, prints every problem and ends the process with 1. */
function orExit<Value>(read: readonly Read<Value>[]): Value[] {
  const problems = [...new Set(read.flatMap((one) => one.problems))]
  if (problems.length === 0) return read.flatMap(({ value }) => (value === undefined ? [] : [value]))
  process.stderr.write(`The environment is not right:\n${problems.join('\n')}\nEvery variable is described in docs/configuration.md.\n`)
  return process.exit(1)
}
