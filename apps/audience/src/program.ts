import { program } from '@herald/service/run'
import { Config } from './config.ts'
import { startAudience } from './start.ts'

export const audience = program('audience', Config, startAudience)
