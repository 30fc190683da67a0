import { databaseUrl, poolConfig, ServiceConfig, whole } from '@herald/service/config'
import type { z } from 'zod'

export const Config = ServiceConfig.extend({
  ...poolConfig,
  DATABASE_URL_TRACKER: databaseUrl,
  LEDGER_RETENTION_DAYS: whole(90, { min: 30, max: 3650 }).describe(
    'Days that outcomes and engagement events of a campaign are kept. Later events count nothing. At least 30: a push may be tried for 28 days.',
  ),
  COUNTERS_RETENTION_DAYS: whole(400, { min: 1, max: 3650 }).describe('Days that the counters of a campaign are kept.'),
})
export type Config = z.output<typeof Config>
