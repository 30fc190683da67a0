import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { apps } from './apps.ts'
import { root, toolEnvironment } from './workspace.ts'

const libraries = ['auth', 'contracts', 'http2', 'service']

/** How a page or set of pages that the gateway serves is built: the program, its sources, and the directory to which it writes. */
export type PageBuild = { name: string; script: string; sources: readonly string[]; output: string }

/** In the order in which they are built: the dashboard includes the web SDK, so the web SDK comes first. */
export const pageBuilds: readonly PageBuild[] = [
  {
    name: 'the SDKs',
    script: 'tools/src/build-sdks.ts',
    sources: ['web', 'node', 'cli', 'python', 'go', 'kotlin', 'swift', 'react-native', 'capacitor', 'flutter'].map(
      (name) => `sdks/${name}`,
    ),
    output: 'sdks/web/dist',
  },
  {
    name: 'the dashboard',
    script: 'apps/dashboard/build.ts',
    sources: ['apps/dashboard', 'libs/contracts/src', 'sdks/web/src'],
    output: 'apps/dashboard/dist',
  },
  {
    name: 'the guides',
    script: 'tools/src/write-guide.ts',
    sources: ['docs', 'tools/src/guide', 'tools/src/write-guide.ts'],
    output: 'dist/guide',
  },
]

/** Where the services and the simulator are as programs of JavaScript (bundle.ts). */
export const servicesDirectory = 'dist/services'
export const serviceBuild: PageBuild = {
  name: 'the services',
  script: 'tools/src/bundle.ts',
  sources: [
    'apps/server/src',
    'apps/simulator/src',
    ...apps.map((app) => `apps/${app}/src`),
    ...libraries.map((name) => `libs/${name}/src`),
  ],
  output: servicesDirectory,
}

type Options = { directory?: string; print: (line: string) => void; signal?: AbortSignal; withinMs?: number }

const buildWithinMs = 300_000
const lastLines = 15

/**
 * Builds the pages whose sources have changed, one after another, and gives the names of those that failed. Of a failed build the end of the output
 * is printed, and its files stay as it left them.
 */
export async function buildPages(builds: readonly PageBuild[], options: Options): Promise<string[]> {
  const failed: string[] = []
  for (const build of builds) {
    if (options.signal?.aborted) break
    if (!(await buildWhenChanged(build, options))) failed.push(build.name)
  }
  return failed
}

async function buildWhenChanged(build: PageBuild, options: Options): Promise<boolean> {
  const { directory = root, print, signal } = options
  if (!existsSync(join(directory, build.script))) return true
  if (isBuilt(build, directory)) return true
  // When two processes start at once in one directory, the second waits for the first and then finds the page built.
  const unlock = await lock(join(directory, lockFile(build)), options)
  try {
    if (isBuilt(build, directory)) return true
    const wanted = hashOfSources(build, directory)
    print(`Building ${build.name} …`)
    const { code, output } = await run(build.script, options)
    if (signal?.aborted) return false
    if (code === 0) {
      mkdirSync(join(directory, build.output), { recursive: true })
      writeFileSync(hashFile(build, directory), wanted)
      return true
    }
    print(`${capital(build.name)} could not be built: node ${build.script} ended with ${code}.`)
    for (const line of output.trim().split('\n').slice(-lastLines)) print(`  ${line}`)
    return false
  } finally {
    unlock()
  }
}

/**
 * Gives the path of the lock file. It is beside the output directory, because a build may empty that directory. Its name begins with a dot, so that
 * it does not count as a source.
 */
const lockFile = ({ output }: PageBuild): string => join(dirname(output), `.${basename(output)}.lock`)

/** Gives the path of the file with the hash. Its name begins with a dot, so that the gateway does not serve it. */
const hashFile = ({ output }: PageBuild, directory: string): string => join(directory, output, '.sources')

export function isBuilt(build: PageBuild, directory = root): boolean {
  const file = hashFile(build, directory)
  return existsSync(file) && readFileSync(file, 'utf8') === hashOfSources(build, directory)
}

/** Computes a hash of the paths and contents of a build's sources (without tests), of its program and of package-lock.json. */
function hashOfSources({ script, sources }: PageBuild, directory: string): string {
  const hash = createHash('sha256')
  for (const place of [...sources, script, 'package-lock.json'].flatMap((source) => filesIn(directory, source)))
    hash
      .update(`${place}\0`)
      .update(readFileSync(join(directory, place)))
      .update('\0')
  return hash.digest('hex')
}

const isNoSource = (name: string): boolean =>
  name === 'node_modules' || name === 'dist' || name.startsWith('.') || /\.test\.tsx?$/.test(name) || name.endsWith('.tsbuildinfo')

function filesIn(directory: string, place: string): string[] {
  const path = join(directory, place)
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [place]
  return readdirSync(path)
    .toSorted()
    .filter((name) => !isNoSource(name))
    .flatMap((name) => filesIn(directory, `${place}/${name}`))
}

/** A module that makes the program end when its channel to this process closes, which happens even when this process is killed. */
const endsWithUs = `data:text/javascript,${encodeURIComponent(`process.on('disconnect', () => process.exit(1)); process.channel?.unref()`)}`

/** Runs a program of the repository. The program is stopped when it takes too long or when the starter stops. */
function run(
  script: string,
  { directory = root, signal, withinMs = buildWithinMs }: Options,
): Promise<{ code: number | string; output: string }> {
  let output = ''
  const child = spawn(process.execPath, ['--import', endsWithUs, script], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...toolEnvironment, NODE_ENV: 'production' },
  })
  const keep = (text: string) => (output = (output + text).slice(-20_000))
  child.stdout?.setEncoding('utf8').on('data', keep)
  child.stderr?.setEncoding('utf8').on('data', keep)
  const end = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', end)
  const tooLong = setTimeout(() => {
    keep(`\nit did not end within ${withinMs / 1000} s`)
    end()
  }, withinMs)
  return new Promise((resolve) => {
    const done = (code: number | string) => {
      clearTimeout(tooLong)
      signal?.removeEventListener('abort', end)
      resolve({ code, output })
    }
    child.once('error', (error) => {
      keep(error.message)
      done('an error')
    })
    child.once('close', (code, killedBy) => done(code ?? killedBy ?? 'a signal'))
  })
}

/**
 * Takes a lock. The lock file has the pid of the process that took it; when that process has ended, the lock is free. Gives a function that releases
 * the lock.
 */
async function lock(path: string, { signal }: Options): Promise<() => void> {
  mkdirSync(dirname(path), { recursive: true })
  for (;;) {
    try {
      const file = openSync(path, 'wx')
      writeFileSync(file, String(process.pid))
      closeSync(file)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (signal?.aborted) return () => undefined
      if (isLeft(path)) rmSync(path, { force: true })
      else await wait(200)
    }
  }
}

function isLeft(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'))
    // A lock without a pid is new: the process that made it writes the pid next. After 5 s the process must have died before it did so.
    if (pid === 0) return Date.now() - statSync(path).mtimeMs > 5_000
    process.kill(pid, 0)
    return false
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EPERM')
  }
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
