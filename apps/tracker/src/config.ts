import { databaseUrl, ledgerRetentionDays, databaseConfig, ServiceConfig, transactionalRetentionDays, whole } from '@herald/service/config'
import type { z } from 'zod'

export const Config = ServiceConfig.extend({
  ...databaseConfig,
  DATABASE_URL_TRACKER: databaseUrl,
  LEDGER_RETENTION_DAYS: ledgerRetentionDays,
  COUNTERS_RETENTION_DAYS: whole(400, { min: 1, max: 3650 }).describe('Days that the counters of a campaign are kept.'),
  TRANSACTIONAL_RETENTION_DAYS: transactionalRetentionDays,
})
export type Config = z.output<typeof Config>
