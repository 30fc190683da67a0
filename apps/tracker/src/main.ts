import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { startTracker } from './start.ts'

await runService('tracker', Config, startTracker)
