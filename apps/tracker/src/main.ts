import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { startTracker } from './tracker.ts'

await runService('tracker', Config, startTracker)
