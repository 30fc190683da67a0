import { runService } from '@herald/service/run'
import { startCampaigns } from './start.ts'
import { Config } from './config.ts'

await runService('campaigns', Config, startCampaigns)
