import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { freePort } from '@herald/embedded/free-port'
import { until } from '@herald/testing/until'
import { blocksOf, readMarkedPages, type Block } from '@herald/tools/guide/pages'
import { onTestFinished } from 'vitest'
import { node20 } from '../../sdks/node/src/testing/runtimes.ts'

const node = node20()
const blocks = readMarkedPages(resolve(import.meta.dirname, '../..')).flatMap(blocksOf)
/** The blocks that a project has taken. */
export const taken = new Set<Block>()
/** The blocks that the guide promises to be part of a project. */
export const promised = blocks.filter(({ mark }) => mark === 'project')

/** A project as a stranger makes it: in a folder of its own outside the repository, with Node 20 and nothing of this repository on its path. */
export type Project = {
  folder: string
  port: number
  /** Gives the one block of a page of the guide that contains these words, with the address, key and port of this project. */
  block(page: string, words: string): string
  write(files: Record<string, string | object>): void
  /** Runs a command in the shell to its end and gives what it printed. Throws an Error with it when the command failed. */
  run(command: string, env?: Record<string, string>): Promise<string>
  /** Starts a server, which ends with the test, and waits until it listens at `port`. Gives what it has printed so far. */
  start(command: string, env?: Record<string, string>): Promise<() => string>
}

export async function makeProject(baseUrl: string, publicKey = ''): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-project-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const port = await freePort()
  const foreign = process.env['PATH']?.split(delimiter).filter((path) => !path.includes('node_modules')) ?? []
  const kept = Object.entries(process.env).filter(([name]) => /^(HOME|npm_config_.*|.*_proxy)$/i.test(name))
  const environment = {
    ...Object.fromEntries(kept),
    PATH: [join(folder, 'node_modules/.bin'), dirname(node), ...foreign].join(delimiter),
    NEXT_TELEMETRY_DISABLED: '1',
    CI: '1',
  }
  /** Starts a command in a group of its own, so that its end is the end of all that it started. */
  const open = (command: string, env: Record<string, string>) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: folder,
      env: { ...environment, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = new Promise<number | null>((done) => child.once('close', done))
    const end = () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    }
    onTestFinished(end)
    return { output: () => output, ended, end, hasEnded: () => child.exitCode !== null || child.signalCode !== null }
  }
  return {
    folder,
    port,
    block(page, words) {
      const [found, ...more] = blocks.filter((block) => block.page === `guide/${page}.md` && block.code.includes(words))
      if (found === undefined || more.length > 0) throw new Error(`docs/guide/${page}.md must have one block with ${words}`)
      taken.add(found)
      return `${found.code}\n`
        .replaceAll('https://push.example.com', baseUrl)
        .replaceAll('pk_live_…', publicKey)
        .replaceAll('3000', String(port))
    },
    write(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
      }
    },
    async run(command, env = {}) {
      const { output, ended, end } = open(command, env)
      const timer = setTimeout(end, 600_000)
      const status = await ended
      clearTimeout(timer)
      if (status !== 0) throw new Error(`${command} ended with ${status}:\n${output().slice(-4_000)}`)
      return output()
    },
    async start(command, env = {}) {
      const { output, hasEnded } = open(command, { PORT: String(port), ...env })
      await until(() => (hasEnded() ? Promise.reject(new Error(output())) : isListening(port)), { what: `${command} at port ${port}` })
      return output
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
