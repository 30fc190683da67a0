import { checkSealKeys } from '@herald/auth/seal'
import { providerRetrySeconds } from '@herald/contracts/topology'
import { outageProbeSeconds, proxyConfig, ServiceConfig, webPushConfig, whole } from '@herald/service/config'
import { z } from 'zod'

const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https:// address' })

/**
 * Connections to APNs and FCM need only the host and the port of a URL. A URL with a path or a query is refused, because its path and query would be
 * ignored without a word.
 */
const withoutPath = (url: string): boolean => {
  const { pathname, search } = new URL(url)
  return pathname === '/' && search === ''
}
const hostAndPort = httpsUrl.refine(withoutPath, { error: 'must be a host and a port only, without a path', abort: true })

const secondsList = z
  .string()
  .regex(/^\d+(\.\d+)?(,\d+(\.\d+)?){0,7}$/, 'must be a comma list of seconds')
  .transform((list) => list.split(',').map(Number))

export const Config = ServiceConfig.extend({
  HMAC_SECRET: z.string().min(16).describe('Signs the tracking id (msgId) that every push carries. The same for gateway and dispatcher.'),
  SEAL_KEYS: z
    .string()
    .superRefine(checkSealKeys)
    .describe(
      'Comma list of <id>:<base64 of 32 bytes>: opens the sealed keys of FCM and Web Push. The same for every service that has it.',
    ),
  DISPATCH_WINDOW: whole(1_000, { min: 1, max: 100_000 }).describe(
    'Pushes of one process that are unanswered or not yet counted: the most that a kill can make arrive twice.',
  ),
  PROVIDER_RETRY_SECONDS: secondsList
    .default([...providerRetrySeconds])
    .describe(
      'Waits before the second, third, fourth and fifth try of a push at a provider, times 1 to 1.25: a comma list of seconds, such as `1,4,16,60`.',
    ),
  OUTAGE_PROBE_SECONDS: outageProbeSeconds,
  TRANSPORT: z
    .enum(['own', 'library'])
    .default('own')
    .describe(
      'What sends pushes: Herald’s own HTTP/2, or the libraries node-apn, firebase-admin and web-push. They are the reference that our own is compared with, take several times the CPU and are loaded only then.',
    ),
  APNS_URL: hostAndPort.optional().describe('APNs production, when it is not Apple’s: for a simulator or a proxy. Host and port only.'),
  APNS_SANDBOX_URL: hostAndPort
    .optional()
    .describe('APNs sandbox, likewise. When only one of the two is given, the other environment is not tried.'),
  FCM_URL: hostAndPort.optional().describe('FCM, when it is not Google’s: base of /v1/projects/…/messages:send. Host and port only.'),
  FCM_TOKEN_URL: httpsUrl.optional().describe('Where OAuth tokens for FCM are asked for, instead of the service account’s token_uri.'),
  ...webPushConfig,
  ...proxyConfig,
})
export type Config = z.infer<typeof Config>
