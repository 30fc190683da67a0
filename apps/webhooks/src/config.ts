import { checkSealKeys } from '@herald/auth/seal'
import { databaseUrl, flag, databaseConfig, proxyConfig, ServiceConfig, whole } from '@herald/service/config'
import { z } from 'zod'

export const Config = ServiceConfig.extend({
  ...databaseConfig,
  ...proxyConfig,
  DATABASE_URL_WEBHOOKS: databaseUrl,
  SEAL_KEYS: z
    .string()
    .superRefine(checkSealKeys)
    .describe('Comma list of <id>:<base64 of 32 bytes>. The first seals the secrets of webhook endpoints, all of them open.'),
  WEBHOOK_RETRY_BASE_SECONDS: z.coerce
    .number()
    .min(0.01)
    .max(3600)
    .default(30)
    .describe('Wait before the second attempt of a delivery; it doubles with each further one.'),
  WEBHOOK_ALLOW_PRIVATE: flag(false).describe(
    'Lets webhook endpoints lie in private networks. For development only; https stays required.',
  ),
  WEBHOOK_LOG_RETENTION_DAYS: whole(30, { min: 1, max: 400 }).describe('How long the delivery log is kept.'),
  WEBHOOK_BODY_DELIVERED_HOURS: whole(24, { max: 9_600 }).describe('How long the body of a delivery is kept after success, for a replay.'),
  WEBHOOK_BODY_UNDELIVERED_DAYS: whole(7, { min: 1, max: 400 }).describe('How long the body of a delivery without success is kept.'),
  WEBHOOK_ENDPOINT_MEGABYTES: whole(1_000, { min: 1, max: 1_000_000 }).describe(
    'What one endpoint may store, in waiting events and in bodies of deliveries. Above it the oldest bodies of ended deliveries go, then the oldest waiting events, which are counted.',
  ),
})
export type Config = z.output<typeof Config>
