// `npm start`: runs the complete platform on this machine (docs/configuration.md) until SIGTERM or Ctrl-C. Then it stops everything and exits with 0.
import { join } from 'node:path'
import { openCrew } from './crew.ts'
import { takeDataDirectory, type DataDirectory } from './data-directory.ts'
import { demo } from './demo.ts'
import { startGuard, waitForFormerGuardian } from './guard.ts'
import { buildPages, pageBuilds, serviceBuild } from './pages.ts'
import { startPlatform } from './platform.ts'
import { stopForgottenServers } from './servers.ts'
import { printSignInLink } from './sign-in-link.ts'
import { explain, StartError } from './start-error.ts'
import { root } from './workspace.ts'

/**
 * How many milliseconds stopping may take when the process that started this one has been killed. They are fewer than 5 s, because by then everything
 * must have ended.
 */
const orphanedStopMs = 3_500
/**
 * A signal that comes within this many milliseconds of the first counts as the same Ctrl-C, because npm, the shell and the terminal may each pass it
 * on. A later one is a second Ctrl-C by the operator.
 */
const sameCtrlCMs = 500

process.chdir(root)
process.stdout.on('error', () => undefined) // the process that read the output has ended; the platform goes on
const print = (line: string) => void process.stdout.write(`${line}\n`)
const isOn = (text: string | undefined, byDefault: boolean) => (text ? !/^(off|false|0|no)$/i.test(text) : byDefault)

const withDemo = isOn(process.env['HERALD_DEMO'], true)
const withSimulator = withDemo || isOn(process.env['HERALD_SIMULATOR'], false)
const withPages = isOn(process.env['HERALD_PAGES'], true)
const given = process.env['HERALD_DATA_DIR'] || join(root, '.data')

const directory = takeOrExit()
const dataDir = directory.path
await waitForFormerGuardian(dataDir)
const guard = startGuard(dataDir)
const crew = openCrew(dataDir, guard, print)

let stoppingSince: number | undefined
const stopping = new AbortController()
process.on('SIGTERM', () => void stop('stopping', 0))
process.on('SIGHUP', () => void stop('stopping', 0))
process.on('SIGINT', () => {
  if (stoppingSince === undefined) void stop('stopping (Ctrl-C again ends everything at once)', 0)
  else if (performance.now() - stoppingSince > sameCtrlCMs) endAtOnce()
})
process.on('disconnect', () => void stop('the process that started this is gone: stopping', 0, orphanedStopMs))
process.on('exit', () => directory.release())

try {
  await stopForgottenServers(dataDir, print)
  const services = buildServices()
  services.catch(() => undefined) // an error of Postgres may come first
  // The pages are built while the platform starts, which takes about as long. The gateway serves the pages as soon as they are built.
  const built = withPages
    ? services
        .then(() => buildPages(pageBuilds, { print, signal: stopping.signal }))
        .then((failed) => failed.length > 0 && print('The platform runs without the change.'))
        .catch((error: unknown) => print(`The pages were not built: ${String(error)}`))
    : undefined
  const platform = await startPlatform({
    dataDir,
    environment: process.env,
    simulator: withSimulator,
    crew,
    built: services,
    print,
    signal: stopping.signal,
  })
  print(`herald ready ${platform.baseUrl}`)
  if (withDemo && platform.simulator !== undefined) {
    await demo({ ...platform, simulator: platform.simulator, dataDir, print, signal: stopping.signal }).catch((error: unknown) => {
      if (stoppingSince === undefined) print(`The demo did not work; the platform runs on. ${explain(error, dataDir)}`)
    })
  }
  await built
  if (stoppingSince === undefined) await printSignInLink({ ...platform, withDemo, print, signal: stopping.signal })
} catch (error) {
  if (stoppingSince === undefined) {
    process.stderr.write(`\nherald cannot start: ${explain(error, dataDir)}\n`)
    await stop('stopping what was started', 1)
  }
}

async function stop(why: string, code: number, withinMs?: number): Promise<void> {
  if (stoppingSince !== undefined) return
  stoppingSince = performance.now()
  stopping.abort()
  print(why)
  await crew.stop(withinMs)
  await guard.dismiss()
  print('stopped')
  process.exit(code)
}

async function buildServices(): Promise<void> {
  const failed = await buildPages([serviceBuild], { print, signal: stopping.signal })
  if (failed.length > 0) throw new StartError('The services could not be built; the lines above say why.')
}

function endAtOnce(): void {
  crew.kill()
  process.exit(130) // the guardian stops the processes that still run
}

function takeOrExit(): DataDirectory {
  try {
    return takeDataDirectory(given)
  } catch (error) {
    process.stderr.write(`herald cannot start: ${explain(error, given)}\n`)
    return process.exit(1)
  }
}
