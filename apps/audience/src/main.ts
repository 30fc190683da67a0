import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { wireAudience } from './wire.ts'

await runService('audience', Config, wireAudience)
