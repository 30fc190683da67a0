import { checkSealKeys } from '@herald/auth/seal'
import { databaseUrl, databaseConfig, ServiceConfig, webPushConfig, whole } from '@herald/service/config'
import { z } from 'zod'
import { parseRanges } from './core/client-address.ts'

const perMinute = (byDefault: number, what: string) =>
  whole(byDefault).describe(`${what} Per 60 s and gateway process; 0 switches the limit off.`)

export const Config = ServiceConfig.extend({
  HOST: z.string().default('127.0.0.1').describe('Address the gateway listens on; 0.0.0.0 for every IPv4 address of the machine.'),
  PORT: whole(8080, { max: 65_535 }).describe('Port the gateway listens on; 0 picks a free one.'),
  LISTEN_FDS: whole(0, { max: 1 }).describe(
    '1: descriptor 3 is a socket to listen on instead of HOST and PORT, as systemd and `npm start` hand it over.',
  ),
  LISTEN_PID: whole(0).describe('The process that LISTEN_FDS is meant for, as systemd sets it; 0: whichever process reads it.'),
  NATS_REPLICAS: z
    .enum(['1', '3'])
    .default('1')
    .transform(Number)
    .describe(
      'On how many servers NATS stores each stream: 3 with a cluster of three, so that one may die. A stream that has more copies keeps them.',
    ),
  DATABASE_URL_GATEWAY: databaseUrl,
  ...databaseConfig,
  ADMIN_TOKEN: z
    .string()
    .optional()
    .describe('Token of the administration surface, at least 32 characters. Unset or shorter: /v1/admin answers 404.'),
  SESSION_IDLE_HOURS: whole(12, { min: 1, max: 168 }).describe('Hours without use after which a session of the dashboard ends.'),
  SESSION_DAYS: whole(7, { min: 1, max: 90 }).describe('Days after which a session of the dashboard ends in any case.'),
  HMAC_SECRET: z
    .string()
    .min(16, 'must be at least 16 characters')
    .describe('Secret that signs tracking ids; the same for gateway and dispatcher.'),
  HMAC_SECRET_PREVIOUS: z
    .string()
    .default('')
    .describe('Comma list of earlier HMAC_SECRETs that still verify, so that the secret can be changed.'),
  SEAL_KEYS: z
    .string()
    .superRefine(checkSealKeys)
    .describe(
      'Comma list of <id>:<base64 of 32 bytes>. The first seals provider credentials, identity secrets and APNs tokens, all of them open; the same for every service that opens one of these.',
    ),
  API_KEY_CACHE_TTL: whole(60, { max: 3600 }).describe(
    'Seconds for which a verified API key is remembered, and an app’s identity rule and Web Push key. A revoked key stops within 2 s all the same.',
  ),
  SUBSCRIBE_RATE_LIMIT: perMinute(10, 'Registrations and rotations of one client address.'),
  IDENTITY_RATE_LIMIT: perMinute(
    60,
    'Logins, logouts and changes of the user with a public key, of one client address; a sixth of it for one device.',
  ),
  SEND_RATE_LIMIT: perMinute(100, 'Notifications sent with one API key.'),
  EVENT_RATE_LIMIT: perMinute(600, 'Tracking events of one client address.'),
  DEVICE_RATE_LIMIT: perMinute(600, 'All other requests with a public key, of one client address; a twentieth of it for one device.'),
  API_RATE_LIMIT: perMinute(12_000, 'All other requests with one secret key.'),
  RATE_LIMITS: z
    .enum(['process', 'shared'])
    .default('process')
    .describe(
      'Whether each gateway counts the limits above, and wrong tokens, by itself, or all gateways count them together, in their database.',
    ),
  AUDIT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(400)
    .optional()
    .describe('Days for which lines of the audit are kept, also those of deleted apps; at least 400. Unset: they are kept for good.'),
  HERALD_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .describe(
      'The address at which browsers and devices reach the gateway; the administration shows it. Unset: the address that each request was sent to.',
    ),
  SIMULATOR_CONTROL_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .describe(
      'The address at which the simulator of the push services is controlled. Set it only where providers are simulated: the administration then says that nothing real is sent.',
    ),
  SIMULATOR_CONTROL_TOKEN: z
    .string()
    .optional()
    .describe(
      'The token that the simulator’s control API asks for. `npm start` and docker compose make one for the simulator and the gateway.',
    ),
  DASHBOARD_DIR: z
    .string()
    .optional()
    .describe('Where the built dashboard is. Unset: beside the program in an image, else apps/dashboard/dist.'),
  WEB_SDK_DIR: z.string().optional().describe('Where the built web SDK is. Unset: beside the program in an image, else sdks/web/dist.'),
  GUIDE_DIR: z.string().optional().describe('Where the built guides are. Unset: beside the program in an image, else dist/guide.'),
  ...webPushConfig,
  TRUSTED_PROXIES: z
    .string()
    .optional()
    .refine((text) => text === undefined || parseRanges(text) !== undefined, 'must be a comma list of addresses and CIDR ranges')
    .describe(
      'Comma list of addresses and CIDR ranges of your proxies: the last address in x-forwarded-for that is none of them is the client’s. Unset: the first address is believed of this machine and private networks, so the proxy must overwrite the header.',
    ),
})
export type Config = z.infer<typeof Config>
