import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { wireTracker } from './wire.ts'

await runService('tracker', Config, wireTracker)
