import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { wireWebhooks } from './wire.ts'

await runService('webhooks', Config, wireWebhooks)
