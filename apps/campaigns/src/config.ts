import { databaseUrl, databaseConfig, ServiceConfig, transactionalRetentionDays, whole } from '@herald/service/config'
import type { z } from 'zod'

export const Config = ServiceConfig.extend({
  ...databaseConfig,
  DATABASE_URL_CAMPAIGNS: databaseUrl,
  DEFAULT_TTL_SECONDS: whole(2_592_000, { min: 0 }).describe(
    'Seconds a push is kept for a device that is away, for sends without a ttl; never more than 2419200.',
  ),
  IDEMPOTENCY_RETENTION_HOURS: whole(24, { min: 1, max: 720 }).describe(
    'Hours in which a repeated Idempotency-Key is answered with the first answer.',
  ),
  LEDGER_RETENTION_DAYS: whole(90, { min: 30, max: 3650 }).describe(
    'Days that the tracker keeps outcomes. The tracker reads the same variable. After these days Herald no longer knows who belongs to an experiment’s remainder.',
  ),
  PAUSE_MAX_DAYS: whole(30, { min: 1, max: 3649 }).describe(
    'Days that a campaign may be paused; then it is cancelled. Below LEDGER_RETENTION_DAYS: outcomes of an older send are not kept.',
  ),
  RECURRING_CATCHUP_SECONDS: whole(3600, { min: 0, max: 86_400 }).describe(
    'Seconds a recurring run may be late after a time without service; older ones are left out.',
  ),
  TRANSACTIONAL_RETENTION_DAYS: transactionalRetentionDays,
}).refine(({ PAUSE_MAX_DAYS, LEDGER_RETENTION_DAYS }) => PAUSE_MAX_DAYS < LEDGER_RETENTION_DAYS, {
  path: ['PAUSE_MAX_DAYS'],
  message: 'must be below LEDGER_RETENTION_DAYS',
})
export type Config = z.output<typeof Config>
