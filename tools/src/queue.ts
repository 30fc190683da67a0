import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { splitNatsUrl } from '@herald/service/config'
import { setUpQueue } from '@herald/service/set-up-queue'
import { natsPasswordVariable } from './apps.ts'
import { readPorts } from './ports.ts'
import { readSecrets } from './secrets.ts'
import { StartError } from './start-error.ts'
import { root } from './workspace.ts'

export const queueUsage = 'queue [--replicas 1|3] [--reset]'

/** Reads the options of `set-up queue`; undefined when they are wrong. */
export function readQueueOptions(args: readonly string[]): { replicas: number; reset: boolean } | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { replicas: { type: 'string' }, reset: { type: 'boolean' } } })
    const { replicas, reset = false } = values
    if ((replicas === undefined && !reset) || !['1', '3', undefined].includes(replicas)) return undefined
    return { replicas: Number(replicas ?? 1), reset }
  } catch {
    return undefined
  }
}

/**
 * Runs `set-up queue` against NATS_URL, else the embedded server of the data directory. Its password is NATS_PASSWORD_QUEUE, else that which the
 * set-up laid into `laid`, else that of the data directory.
 */
export async function runQueue(
  options: { replicas: number; reset: boolean },
  { env, laid }: { env: NodeJS.ProcessEnv; laid: string },
): Promise<string> {
  const dataDir = env['HERALD_DATA_DIR'] || join(root, '.data')
  const { nats } = readPorts(dataDir)
  const url = env['NATS_URL'] || (nats === undefined ? '' : `nats://127.0.0.1:${nats}`)
  if (!splitNatsUrl(url)) throw new StartError('NATS_URL must be nats://host:4222, or several with commas between.')
  const variable = natsPasswordVariable('queue')
  const kept = existsSync(join(dataDir, 'secrets.json')) ? readSecrets(dataDir, env).natsPasswords.queue : undefined
  const password = env[variable] || (existsSync(join(laid, variable)) ? readFileSync(join(laid, variable), 'utf8') : kept)
  const given = (name: 'NATS_CA' | 'NATS_CERT' | 'NATS_KEY') => env[name] || undefined
  try {
    const copies = await setUpQueue(
      {
        NATS_URL: url,
        ...(env['NATS_PASSWORD'] ? { NATS_USER: env['NATS_USER'], NATS_PASSWORD: env['NATS_PASSWORD'] } : { NATS_PASSWORD: password }),
        NATS_CA: given('NATS_CA'),
        NATS_CERT: given('NATS_CERT'),
        NATS_KEY: given('NATS_KEY'),
      },
      options,
    )
    return Object.entries(copies)
      .map(([stream, count]) => `${stream}: ${count === 1 ? 'one copy' : `${count} copies`}\n`)
      .join('')
  } catch (error) {
    throw new StartError(`The queue was not set up: ${error instanceof Error ? error.message : String(error)}`)
  }
}
