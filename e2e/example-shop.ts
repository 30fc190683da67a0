import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { childEnvironment } from '@herald/testing/child-environment'
import type { Herald } from '@herald/testing/herald'
import type { Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'

/** Starts the example shop as `npm start` does, for this test file, and gives its address. `env`: further settings of its README. */
export async function startExampleShop(herald: Herald, tenant: Tenant, env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../examples/shop/server.ts')], {
    env: {
      ...childEnvironment,
      PORT: '0',
      HERALD_URL: herald.baseUrl,
      HERALD_SECRET_KEY: tenant.secretKey,
      HERALD_PUBLIC_KEY: tenant.publicKey,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atEnd(() => void child.kill())
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return until(() => /^shop ready (\S+)$/m.exec(printed)?.[1], { what: 'the shop is ready' })
}
