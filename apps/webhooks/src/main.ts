import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { startWebhooks } from './webhooks.ts'

await runService('webhooks', Config, startWebhooks)
