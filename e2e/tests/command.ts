import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { childEnvironment } from '@herald/testing/child-environment'
import { emptyDataDir, removeDataDir, type Herald } from '@herald/testing/herald'
import type { Tenant } from '@herald/testing/tenant'
import { onTestFinished } from 'vitest'

const command = resolve(import.meta.dirname, '../../sdks/cli/src/herald.ts')

/** Gives functions that run the command `herald` for a tenant, with a home directory that is removed at the end of the test file. */
export function commandFor(herald: Herald) {
  const home = emptyDataDir()
  atEnd(() => removeDataDir(home))

  function start(tenant: Tenant, args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [command, ...args], {
      env: {
        ...childEnvironment,
        HOME: home,
        HERALD_URL: herald.baseUrl,
        HERALD_TOKEN: herald.adminToken,
        HERALD_APP: tenant.appId,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
    const ended = new Promise<number | null>((done) => child.once('close', done))
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, said, ended }
  }

  async function run(tenant: Tenant, args: string[], env: Record<string, string> = {}) {
    const { said, ended } = start(tenant, args, env)
    return { code: await ended, ...said }
  }
  return { home, start, run }
}
