import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { wireCampaigns } from './wire.ts'

await runService('campaigns', Config, wireCampaigns)
