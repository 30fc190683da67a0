import { spawn, type ChildProcess } from 'node:child_process'
import { atEnd } from '@herald/testing/at-end'
import { childEnvironment } from '@herald/testing/child-environment'
import { serverArgs } from '@herald/testing/programs'

/** Starts campaigns in a process of its own and waits until it is ready. The process is killed when the test file ends. */
export async function startProcess(environment: Record<string, string>): Promise<{ child: ChildProcess; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, serverArgs('campaigns'), {
    env: { ...childEnvironment, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '4', ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  atEnd(kill)
  await new Promise((ready, fail) => {
    child.once('message', ready)
    child.once('exit', (code) => fail(new Error(`campaigns ended with ${code}`)))
  })
  return { child, kill }
}
