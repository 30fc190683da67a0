import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { childEnvironment } from '@herald/testing/child-environment'
import { serverArgs } from '@herald/testing/programs'

const mainWithNameServer = resolve(import.meta.dirname, 'main-with-name-server.ts')

/** A dispatcher in a process of its own: it reads NODE_EXTRA_CA_CERTS at its start, and tests can freeze and kill it. */
export type RunningDispatcher = {
  process: ChildProcess
  /** Gives everything that the process has written so far. */
  output(): string
  /** Resolves with the exit code of the process. */
  ended: Promise<number | null>
  /** Kills the process. A process that has ended already is no error. */
  kill(): Promise<void>
}

/** Starts a dispatcher, which asks `nameServer`, when given, for hosts of push services. The caller kills it, since a test cannot register hooks. */
export async function startDispatcher(env: Record<string, string>, nameServer?: string): Promise<RunningDispatcher> {
  const child = spawn(process.execPath, nameServer === undefined ? serverArgs('dispatcher') : [mainWithNameServer, nameServer], {
    env: { ...childEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((end) => child.once('exit', (code) => end(code)))
  const ready = await Promise.race([once(child, 'message').then(() => true), ended.then(() => false)])
  if (!ready) throw new Error(`the dispatcher did not start:\n${output}`)
  return {
    process: child,
    output: () => output,
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
