import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { wireDispatcher } from './wire.ts'

await runService('dispatcher', Config, wireDispatcher)
