import { program } from '@herald/service/run'
import { Config } from './config.ts'
import { startWebhooks } from './start.ts'

export const webhooks = program('webhooks', Config, startWebhooks)
