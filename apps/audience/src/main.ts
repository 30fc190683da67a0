import { runService } from '@herald/service/run'
import { startAudience } from './start.ts'
import { Config } from './config.ts'

await runService('audience', Config, startAudience)
