import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { startWebhooks } from './start.ts'

await runService('webhooks', Config, startWebhooks)
