import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { childEnvironment } from '@herald/testing/child-environment'
import { serverArgs } from '@herald/testing/programs'
import { receiverAuthority } from './receiver.ts'

/** Starts webhooks in a process of its own. The process is killed when the test file ends. */
export function startProcess(environment: Record<string, string>): {
  child: ChildProcess
  output: () => string
  kill: () => Promise<void>
} {
  const directory = mkdtempSync(join(tmpdir(), 'herald-webhooks-'))
  const authority = join(directory, 'ca.pem')
  writeFileSync(authority, receiverAuthority)
  const child = spawn(process.execPath, serverArgs('webhooks'), {
    env: { ...childEnvironment, ...environment, NODE_EXTRA_CA_CERTS: authority },
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  atEnd(kill)
  return { child, output: () => output, kill }
}
