import { program } from '@herald/service/run'
import { Config } from './config.ts'
import { wireGateway } from './wire.ts'

export const gateway = program('gateway', Config, wireGateway)
