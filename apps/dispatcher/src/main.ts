import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { startDispatcher } from './dispatcher.ts'

await runService('dispatcher', Config, startDispatcher)
