import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { buildPackage } from '../../build.ts'
import { startStandIn } from './stand-in.ts'
import type { Result } from './suite.ts'

const here = import.meta.dirname
const root = resolve(here, '../../../..')
const limitMs = 240_000

/** The npm package and version of each runtime that this machine may lack. It is fetched once from the npm registry into .tools. */
const packages = {
  'node-20': { name: 'node', version: '20.20.2', command: 'bin/node' },
  bun: { name: 'bun', version: '1.4.5', command: 'bin/bun.exe' },
  deno: { name: 'deno', version: '2.9.6', command: 'deno' },
  workerd: { name: 'miniflare', version: '4.20260730.0', command: 'package.json' },
} as const
export type Runtime = 'node-24' | keyof typeof packages

/** Builds the package and runs testing/suite.ts against it in a runtime. Gives the result of each test. */
export async function runOn(runtime: Runtime): Promise<Result[]> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-node-sdk-'))
  const standIn = await startStandIn()
  try {
    await buildPackage(join(directory, 'package'))
    const file = join(directory, 'suite.mjs')
    await bundleSuite(join(directory, 'package/herald.js'), file, runtime === 'workerd' ? inWorker : inProcess)
    const [command, ...args] = commandOf(runtime, file)
    return await read(command, [...args, standIn.url])
  } finally {
    await standIn.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const inProcess = `import { runSuite } from './suite.ts'
console.log(JSON.stringify(await runSuite(globalThis.process.argv.at(-1))))`
const inWorker = `import { runSuite } from './suite.ts'
export default { fetch: async (request) => Response.json(await runSuite(new URL(request.url).searchParams.get('url'))) }`

/** Bundles testing/suite.ts into one file, in which the built package replaces the SDK's sources. */
async function bundleSuite(built: string, outfile: string, contents: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: here, loader: 'js' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    logLevel: 'warning',
    plugins: [{ name: 'built', setup: (each) => each.onResolve({ filter: /^\.\.\/herald\.ts$/ }, () => ({ path: built })) }],
  })
}

function commandOf(runtime: Runtime, file: string): [string, ...string[]] {
  if (runtime === 'node-24') return [process.execPath, file]
  if (runtime === 'node-20') return [node20(), file]
  if (runtime === 'bun') return [fetched('bun'), file]
  if (runtime === 'deno') return [fetched('deno'), 'run', '--allow-net=127.0.0.1', file]
  return [process.execPath, join(here, 'run-in-workerd.mjs'), fetched('workerd'), file]
}

/** Gives the path of a Node 20: this machine's, else the one that it fetches. */
export function node20(): string {
  const known = [process.env['HERALD_NODE_20'], '/usr/bin/node', '/usr/local/bin/node']
  const found = known.find(
    (path) => path !== undefined && /^v20\./.test(spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 }).stdout ?? ''),
  )
  return found ?? fetched('node-20')
}

/** Gives the path of a runtime's command below .tools. Fetches the runtime from the npm registry when it is not there yet. */
function fetched(runtime: keyof typeof packages): string {
  const { name, version, command } = packages[runtime]
  const directory = join(root, '.tools', `${name}-${version}`)
  const path = join(directory, 'node_modules', name, command)
  const done = join(directory, '.done')
  if (existsSync(done) && existsSync(path)) return path
  mkdirSync(directory, { recursive: true })
  // These packages pick the binary of the platform in an install script, which npm runs only if package.json allows it.
  const allowScripts = { node: true, bun: true, deno: true, workerd: true }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, allowScripts }))
  const asked = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', `${name}@${version}`]
  const { status, stderr } = spawnSync('npm', asked, { cwd: directory, encoding: 'utf8', timeout: limitMs })
  if (status !== 0 || !existsSync(path))
    throw new Error(`${name}@${version} could not be fetched into ${directory}: ${stderr.slice(-2_000)}`)
  writeFileSync(done, '')
  return path
}

/** Runs a command and reads the last line that it prints as JSON. */
function read(command: string, args: string[]): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs })
    let printed = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-4_000)))
    child.once('error', reject)
    child.once('close', (code) => {
      const last = printed.trim().split('\n').at(-1) ?? ''
      if (code === 0 && last.startsWith('[')) resolve(JSON.parse(last) as Result[])
      else reject(new Error(`${command} ended with ${code}: ${complaints}${printed.slice(-2_000)}`))
    })
  })
}
