import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const port = z.coerce.number().int().min(0).max(65_535).default(0)

const Environment = z
  .object({
    SIMULATOR_APNS_PORT: port,
    SIMULATOR_APNS_SANDBOX_PORT: port,
    SIMULATOR_FCM_PORT: port,
    SIMULATOR_OAUTH_PORT: port,
    SIMULATOR_WEB_PUSH_PORT: port,
    SIMULATOR_CONTROL_PORT: port,
    SIMULATOR_CERTIFICATE: z.string().min(1),
    SIMULATOR_PRIVATE_KEY: z.string().min(1),
    SIMULATOR_STATE: z.string().min(1).optional(),
    SIMULATOR_REPORT_URL: z.url().optional(),
    SIMULATOR_HOST: z.string().min(1).default('localhost'),
    SIMULATOR_CONTROL_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
  })
  .refine(({ SIMULATOR_HOST, SIMULATOR_CONTROL_TOKEN }) => SIMULATOR_HOST === 'localhost' || SIMULATOR_CONTROL_TOKEN !== undefined, {
    path: ['SIMULATOR_CONTROL_TOKEN'],
    message: 'is required, because the control API is reached from other machines',
  })

/**
 * The simulator's configuration. `host` is the name by which clients reach the simulator, and its certificate must have that name. A port of 0 picks
 * a free one. `certificatePath` and `privateKeyPath` are PEM files. `statePath` stores accounts and devices.
 */
export type Config = {
  host: string
  ports: Record<'apns' | 'apnsSandbox' | 'fcm' | 'oauth' | 'webPush' | 'control', number>
  certificatePath: string
  privateKeyPath: string
  statePath?: string | undefined
  /**
   * The address at which devices that an operator uses report to Herald, instead of each device's own `reportTo`. It is for a simulator that cannot
   * reach the address that the operator's browser uses.
   */
  reportTo?: string | undefined
  /** When set, calls of the control API must bear it. It is required when the simulator listens on more than 127.0.0.1. */
  controlToken?: string | undefined
}

/** Reads the configuration. When environment variables are wrong, gives a sentence for each problem instead. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config | string[] {
  const token = environment['SIMULATOR_CONTROL_TOKEN'] || mountedToken(environment['SECRETS_DIR'])
  const result = Environment.safeParse({ ...environment, SIMULATOR_CONTROL_TOKEN: token })
  if (!result.success) return result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  const value = result.data
  return {
    host: value.SIMULATOR_HOST,
    ports: {
      apns: value.SIMULATOR_APNS_PORT,
      apnsSandbox: value.SIMULATOR_APNS_SANDBOX_PORT,
      fcm: value.SIMULATOR_FCM_PORT,
      oauth: value.SIMULATOR_OAUTH_PORT,
      webPush: value.SIMULATOR_WEB_PUSH_PORT,
      control: value.SIMULATOR_CONTROL_PORT,
    },
    certificatePath: value.SIMULATOR_CERTIFICATE,
    privateKeyPath: value.SIMULATOR_PRIVATE_KEY,
    statePath: value.SIMULATOR_STATE,
    reportTo: value.SIMULATOR_REPORT_URL,
    controlToken: value.SIMULATOR_CONTROL_TOKEN,
  }
}

/** Reads the token from the file in which secrets are mounted into containers. */
function mountedToken(directory: string | undefined): string | undefined {
  const file = join(directory ?? '', 'SIMULATOR_CONTROL_TOKEN')
  return directory && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
