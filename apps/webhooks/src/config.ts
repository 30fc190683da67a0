import { databaseUrl, poolConfig, ServiceConfig } from '@herald/service/config'
import type { z } from 'zod'

export const Config = ServiceConfig.extend({
  ...poolConfig,
  DATABASE_URL_WEBHOOKS: databaseUrl,
})
export type Config = z.output<typeof Config>
