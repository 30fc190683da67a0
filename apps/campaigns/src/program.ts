import { program } from '@herald/service/run'
import { Config } from './config.ts'
import { startCampaigns } from './start.ts'

export const campaigns = program('campaigns', Config, startCampaigns)
