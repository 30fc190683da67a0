import { Resolver } from 'node:dns/promises'
import { resolveByServers } from '@herald/service/guarded-connect'
import { program, runServices } from '@herald/service/run'
import { Config } from '../config.ts'
import { wireDispatcher } from '../wire.ts'

/** Runs a dispatcher that asks the name server given as its argument (`127.0.0.1:<port>`) for the hosts of push services. */
const resolver = new Resolver({ timeout: 1_500, tries: 2 })
resolver.setServers(process.argv.slice(2))
await runServices([program('dispatcher', Config, (service) => wireDispatcher(service, { resolve: resolveByServers(resolver) }))])
