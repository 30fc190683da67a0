import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { unpackDebian } from '@herald/tools/debian'

const tools = resolve(import.meta.dirname, '../../.tools')
/** Nothing is fetched while Go builds, and what it builds is kept in .tools/. */
const settings = {
  CGO_ENABLED: '0',
  GOPROXY: 'off',
  GOFLAGS: '-mod=mod',
  GOTOOLCHAIN: 'local',
  GOCACHE: join(tools, 'go-cache'),
  HOME: tools,
}

export type Go = {
  version: string
  /** Runs a program without holding up this process: connections that are closed meanwhile are noticed. */
  run(directory: string, program: 'go' | 'gofmt' | 'bash', ...given: string[]): Promise<{ status: number | null; output: string }>
}

/** Gives the Go of this machine, else that of Debian's packages. Throws an Error that says what is missing. */
export function findGo(): Go {
  const env = { ...process.env, ...settings, ...(spawnSync('go', ['version']).status === 0 ? {} : unpackGo()) }
  return {
    version: execFileSync('go', ['version'], { encoding: 'utf8', env }).trim(),
    async run(directory, program, ...given) {
      const child = spawn(program, given, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'], timeout: 280_000, env })
      const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
      return { status: status as number | null, output: `${stdout}${stderr}` }
    },
  }
}

/** Fetches Debian's newest Go. Gives the variables with which it runs where it was unpacked. */
function unpackGo(): { GOROOT: string; PATH: string } {
  const [newest] = /golang-[\d.]+-go/.exec(spawnSync('apt-cache', ['depends', 'golang-go'], { encoding: 'utf8' }).stdout ?? '') ?? []
  if (newest === undefined) throw new Error('Go is missing: install Go 1.18 or later (on Debian `apt-get update` first).')
  const folder = unpackDebian('go', [newest, newest.replace(/-go$/, '-src')])
  const [root] = globSync('usr/lib/go-*', { cwd: folder })
  if (root === undefined) throw new Error(`Go is missing: the packages in ${folder} have no usr/lib/go-*.`)
  const GOROOT = join(folder, root)
  return { GOROOT, PATH: `${join(GOROOT, 'bin')}:${process.env['PATH']}` }
}
