import { program } from '@herald/service/run'
import { Config } from './config.ts'
import { wireDispatcher } from './wire.ts'

export const dispatcher = program('dispatcher', Config, wireDispatcher)
