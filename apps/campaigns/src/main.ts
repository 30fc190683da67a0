import { runService } from '@herald/service/run'
import { startCampaigns } from './campaigns.ts'
import { Config } from './config.ts'

await runService('campaigns', Config, startCampaigns)
