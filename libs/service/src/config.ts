import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { knownPushServices, type EndpointRule } from '@herald/contracts/destination'
import { z } from 'zod'

const natsAddress = /^((?:nats|tls):\/\/)?[^/?#@\s]+$/

/** Splits a list of NATS servers into addresses with a scheme; undefined when one of them is wrong. */
export function splitNatsUrl(list: string): string[] | undefined {
  const servers = list.split(',').map((part) => (part.includes('://') ? part.trim() : `nats://${part.trim()}`))
  const isRight = (server: string) => {
    if (!natsAddress.test(server) || !URL.canParse(server)) return false
    const { protocol, hostname } = new URL(server)
    // The NATS client checks the certificate of an address without a name against `localhost`.
    return hostname !== '' && (protocol === 'nats:' || isIP(hostname.replace(/^\[|\]$/g, '')) === 0)
  }
  return servers.every(isRight) ? servers : undefined
}

type NatsTls = { NATS_CA?: string | undefined; NATS_CERT?: string | undefined; NATS_KEY?: string | undefined }

/** Gives the servers as the NATS client takes them. With a `tls://` address or a file for TLS the client connects to no server without TLS. */
export function natsServers({ NATS_URL, NATS_CA, NATS_CERT, NATS_KEY }: NatsTls & { NATS_URL: string }) {
  const servers = splitNatsUrl(NATS_URL) ?? []
  if ((NATS_CERT === undefined) !== (NATS_KEY === undefined)) throw new Error('NATS_CERT and NATS_KEY are given together or not at all')
  const demanded = servers.some((server) => server.startsWith('tls://')) || NATS_CA !== undefined || NATS_CERT !== undefined
  return {
    servers,
    ...(demanded && {
      tls: {
        ...(NATS_CA !== undefined && { caFile: NATS_CA }),
        ...(NATS_CERT !== undefined && NATS_KEY !== undefined && { certFile: NATS_CERT, keyFile: NATS_KEY }),
      },
    }),
  }
}

const file = z.string().refine(existsSync, 'names a file that does not exist').optional()

/** The settings of the connection to NATS. */
export const natsConfig = {
  NATS_URL: z
    .string()
    .refine(
      (list) => splitNatsUrl(list) !== undefined,
      'must be a comma list of nats://host:port or tls://name:port, without a user (NATS_USER, NATS_PASSWORD)',
    )
    .default('nats://127.0.0.1:4222')
    .describe(
      'The NATS server (JetStream on), or a comma list of the servers of a cluster, of which one must be up. `tls://` demands TLS of all of them, and names of hosts instead of IP addresses.',
    ),
  NATS_CA: file.describe(
    'PEM file of the authority that signed the certificates of the NATS servers, when Node.js does not know it. Demands TLS.',
  ),
  NATS_CERT: file.describe('PEM file of a certificate for the NATS servers that ask their clients for one. Given with NATS_KEY.'),
  NATS_KEY: file.describe('PEM file of the key of NATS_CERT.'),
}

/** The settings of every service. A service's own schema extends them. Each setting has a `.describe()` text that becomes docs/configuration.md. */
export const ServiceConfig = z.object({
  ...natsConfig,
  NATS_USER: z.string().optional().describe('The service’s user of the NATS server. Without it `herald_<service>`.'),
  NATS_PASSWORD: z
    .string()
    .optional()
    .describe(
      'The password of that user. `npm start` and the service `secrets` of docker compose make one for each service. Without it the service connects to NATS without a user.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address on which the service offers its probes and metrics; 0.0.0.0 for every address.'),
  OBSERVE_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe(
      'Port of `/livez`, `/readyz` and `/metrics`; 0 picks a free one. `npm start` gives every process a port of its own and lists them in `ports.json`.',
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe log line that is written.'),
  SECRETS_DIR: z
    .string()
    .optional()
    .describe(
      'Directory with a file per setting. A setting that is not in the environment is read from the file of its name, as secrets are mounted into containers.',
    ),
})

/** The database settings of every service that has a schema. */
export const databaseConfig = {
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(2)
    .max(100)
    .default(8)
    .describe(
      'Most connections that one process of a service opens for its work. Besides these it opens up to 4 for the statements of each send or registration, 3 for reads (audience 5) and 1 that watches the database.',
    ),
  DATABASE_READ_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address')
    .optional()
    .describe(
      'Address of the service’s own role on a replica (`DATABASE_READ_URL_<SERVICE>`). Lists, counts, statistics, dry runs and explanations are read there while it has what the primary has.',
    ),
  DATABASE_POOLER: z
    .enum(['none', 'pgbouncer'])
    .default('none')
    .describe(
      '`pgbouncer`: the addresses of databases lead to PgBouncer (1.21 or later) in transaction mode with `deploy/pgbouncer/pgbouncer.ini`. Set-up and migrations need the address of Postgres itself.',
    ),
}

/** Makes a setting that is on or off, written as one of the words that are usual in environment variables. */
export const flag = (byDefault: boolean) =>
  z
    .enum(['true', 'false', 'on', 'off', '1', '0'])
    .default(byDefault ? 'true' : 'false')
    .transform((word) => word === 'true' || word === 'on' || word === '1')

const hostPattern = /^(\*|(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/

const hostList = z
  .string()
  .default(knownPushServices.join(','))
  .transform((list) =>
    list
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  )
  .refine((hosts) => hosts.every((host) => hostPattern.test(host)), 'must be a comma list of host names, *.<domain> or *')

/** The settings for the hosts of browsers' endpoints. The gateway uses them when it registers endpoints, and the dispatcher when it connects. */
export const webPushConfig = {
  WEB_PUSH_ALLOW_PRIVATE: flag(false).describe(
    'Allows web push endpoints on any host, in private networks too. For development only. It must be the same for gateway and dispatcher.',
  ),
  WEB_PUSH_ALLOWED_HOSTS: hostList.describe(
    'Comma list of the push services whose endpoints are registered and sent to. A given list replaces the default; * allows every public host. It must be the same for gateway and dispatcher.',
  ),
}

/** Says whether a part of an address can be decoded. `%E4` alone cannot: it is no UTF-8. */
const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const isProxy = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && hostname !== '' && decodes(username) && decodes(password)
}

/** The settings of the way out, for services that call hosts outside. Other programs know them by the same names, in lower case too. */
export const proxyConfig = {
  HTTPS_PROXY: z
    .string()
    .transform((text) => (text.includes('://') ? text : `http://${text}`))
    .refine(isProxy, 'must be the address of a proxy, such as http://user:password@proxy.example:3128')
    .optional()
    .describe(
      'The proxy through which providers, push services, the token service of FCM and webhook endpoints are reached: `http://` or `https://`, with user and password if it wants them. It must allow CONNECT. `https_proxy` means the same and takes precedence.',
    ),
  NO_PROXY: z
    .string()
    .default('')
    .describe(
      'Comma list of what is reached without the proxy: names (with all names below them), IP addresses, ranges such as `10.0.0.0/8`, each with a port if wanted, or `*`. This machine is always reached directly. `no_proxy` means the same and takes precedence.',
    ),
}

/** Gives the rule for endpoints that these settings make. */
export const endpointRuleOf = (config: { WEB_PUSH_ALLOW_PRIVATE: boolean; WEB_PUSH_ALLOWED_HOSTS: string[] }): EndpointRule => ({
  allowPrivate: config.WEB_PUSH_ALLOW_PRIVATE,
  hosts: config.WEB_PUSH_ALLOWED_HOSTS,
})

/** The address of a service's own role in Postgres, which reaches the schema of no other service. */
export const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address')
  .describe('Address of the service’s own role in Postgres. `npm start` makes it.')

/** Makes a setting that is a whole number. */
export const whole = (byDefault: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) =>
  z.coerce.number().int().min(min).max(max).default(byDefault)

/**
 * For how many days the ledger stores the outcomes of pushes. It must be the same for tracker, which has the ledger, and for audience, which
 * remembers equally long which devices a user had before.
 */
export const ledgerRetentionDays = whole(90, { min: 30, max: 3650 }).describe(
  'Days that outcomes and engagement events of a campaign are kept. Later events are not counted. At least 30, because a push may be tried for 28 days. It must be the same for tracker and audience; audience keeps for as long which devices a user had before.',
)

/** For how many days campaigns keeps a notification after it ended, and the tracker its counters. It must be the same for both. */
export const transactionalRetentionDays = whole(90, { min: 1, max: 3650 }).describe(
  'Days that the campaign of a notification is kept after it ended, and its counters; the series of the app keep its sums. It must be the same for campaigns and tracker.',
)

/**
 * Seconds between two probes to a provider that is away; the pause grows when it has been away for long. Must be the same for audience (APNs, FCM)
 * and dispatcher (web push).
 */
export const outageProbeSeconds = z.coerce
  .number()
  .min(0.05)
  .max(60)
  .default(5)
  .describe(
    'How often one push is sent to a provider that is away, to find out whether it is back; less often when it has been away for long. It must be the same for audience and dispatcher.',
  )

/** The settings that belong to a process and not to a service in it. */
export const ProcessConfig = ServiceConfig.pick({ HOST: true, OBSERVE_PORT: true, LOG_LEVEL: true })

/** What came of reading settings: a value, or a line for each problem. Problems do not contain values, because these may be secrets. */
export type Read<Value> = { value: Value | undefined; problems: string[] }

/**
 * Reads settings from the environment, and absent ones from the files with their names in SECRETS_DIR. `<NAME>_<SERVICE>` is for that service alone
 * and takes precedence over `<NAME>`. An empty variable counts as absent.
 */
export function readSettings<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, service?: string): Read<z.infer<z.ZodObject<Shape>>> {
  const given: Record<string, string> = {}
  const readAs: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const usual = name in proxyConfig ? [name.toLowerCase(), name] : [name]
    for (const variable of service === undefined ? usual : [`${name}_${service.toUpperCase()}`, ...usual]) {
      const value = process.env[variable] || readSecret(process.env['SECRETS_DIR'], variable)
      if (!value) continue
      given[name] = value
      readAs[name] = variable
      break
    }
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return { value: parsed.data, problems: [] }
  const problems = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.')
    return `  ${readAs[name] ?? name}: ${name in given || issue.code === 'custom' ? issue.message : 'is required'}`
  })
  return { value: undefined, problems }
}

/** Reads a setting from its file, without one line end at the end of the file, because editors add it. */
function readSecret(directory: string | undefined, name: string): string | undefined {
  const file = directory ? join(directory, name) : ''
  return file !== '' && existsSync(file) ? readFileSync(file, 'utf8').replace(/\r?\n$/, '') : undefined
}

export type Setting = { name: string; required: boolean; default: string | null; description: string }

/** Gives the settings of a schema, for docs/configuration.md. */
export function describeConfig(schema: z.ZodObject): Setting[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const absent = z.safeParse(field, undefined)
    const fallback = absent.success && absent.data !== undefined && absent.data !== null ? JSON.stringify(absent.data) : null
    return { name, required: !absent.success, default: fallback, description: z.globalRegistry.get(field)?.description ?? '' }
  })
}
