import { program } from '@herald/service/run'
import { Config } from './config.ts'
import { startTracker } from './start.ts'

export const tracker = program('tracker', Config, startTracker)
