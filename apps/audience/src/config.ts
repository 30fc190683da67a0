import { databaseUrl, ledgerRetentionDays, outageProbeSeconds, databaseConfig, ServiceConfig, whole } from '@herald/service/config'
import type { z } from 'zod'

export const Config = ServiceConfig.extend({
  DATABASE_URL_AUDIENCE: databaseUrl,
  ...databaseConfig,
  FAN_OUT_RETENTION_DAYS: whole(7, { min: 1, max: 365 }).describe(
    'Days a settled campaign’s fan-out row is kept, so that a late repeat of its pointer sends nothing twice.',
  ),
  BREAKER_MAX_HOLD_SECONDS: whole(86_400, { min: 1, max: 2_419_200 }).describe(
    'Longest time a push waits for a provider that refuses our credentials, within its ttl; then it fails with the circuit’s code. For a provider that is away a push waits to the end of its ttl.',
  ),
  OUTAGE_PROBE_SECONDS: outageProbeSeconds,
  BULK_WINDOW: whole(16, { min: 16, max: 1_024 }).describe(
    'Batches of 500 pushes that large sends of one app may have at dispatchers at once, on each platform. With more than two dispatchers 8 for each of them: an app sends about 500 × this number ÷ (the provider’s answer time + 40 ms) a second.',
  ),
  LEDGER_RETENTION_DAYS: ledgerRetentionDays,
})
export type Config = z.infer<typeof Config>
