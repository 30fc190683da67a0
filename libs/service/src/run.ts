import type { AppName } from '@herald/contracts/call'
import type { z } from 'zod'
import { describeConfig, readConfig, ServiceConfig } from './config.ts'
import { openLifecycle, type Lifecycle } from './lifecycle.ts'
import { openLog, type Log } from './log.ts'
import { openMetrics, type Metrics } from './metrics.ts'
import { openObservation } from './observe.ts'
import { flushSpans } from './trace.ts'

/** What the code of a service gets when it starts. The code registers everything that it opens; what was opened last is closed first. */
export type Service<Config = unknown> = Pick<Lifecycle, 'needs' | 'beforeStop' | 'onStop'> & {
  readonly name: AppName
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
}

/** A stop may take at most this long; then the process exits. Work that is in flight at that moment is repaired as after a crash. */
const stopWithinMs = 10_000

/**
 * Runs a service: reads its environment, serves its probes and metrics, starts it, and tells a parent process with an IPC channel that it is up.
 * Stops the service in reverse order on SIGTERM, on SIGINT or when that channel closes. Exits with 0 after a stop, with 3 when a stop took too long,
 * and with 1 when the service could not start or after an uncaught error. `--describe-config` prints the settings as JSON instead, for the generated
 * page.
 */
export async function runService<Shape extends z.ZodRawShape>(
  name: AppName,
  schema: z.ZodObject<Shape>,
  start: (service: Service<z.infer<z.ZodObject<Shape>>>) => Promise<void>,
): Promise<void> {
  if (process.argv.includes('--describe-config')) {
    process.stdout.write(`${JSON.stringify(describeConfig(schema))}\n`)
    return
  }
  const config = readConfig(schema)
  const own = ServiceConfig.parse(config)
  const log = openLog(name, own.LOG_LEVEL)
  const lifecycle = openLifecycle()
  const metrics = openMetrics()
  metrics.watchProcess()

  let stopping = false
  const stop = async (why: string, code: number) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => {
      log.error({ limitMs: stopWithinMs }, 'stop took too long')
      process.exit(code === 0 ? 3 : code)
    }, stopWithinMs).unref()
    await lifecycle.stop((what, error) => log.error({ what, err: error }, 'did not close cleanly'))
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

  try {
    await openObservation(own, { lifecycle, metrics, log })
    await start({ name, config, log, metrics, ...lifecycle })
  } catch (error) {
    log.fatal({ err: error }, 'could not start')
    await stop('could not start', 1)
    return
  }
  lifecycle.started()
  log.info('ready')
  if (process.send) process.send({ ready: true })
}
