import { join } from 'node:path'
import {
  apps,
  appsWithDatabase,
  callsOutside,
  databaseVariable,
  hasDatabase,
  natsPasswordVariable,
  ownerVariable,
  readVariable,
  secretsOf,
  usesNats,
  type ProcessName,
} from './apps.ts'
import { natsUsers } from '@herald/contracts/grants'
import type { Secrets } from './secrets.ts'
import { root } from './workspace.ts'

/** The message in which the simulator says that it is ready, with the addresses of its servers. */
export type SimulatorAddresses = { apns: string; apnsSandbox: string; fcm: string; fcmToken: string; webPush: string; control: string }

export type Computed = {
  host: string
  port: number
  natsUrl: string
  databaseUrls: Record<string, string>
  secrets: Secrets
  /** Only with the simulator: its addresses, and the file of authorities to trust. */
  simulator?: { addresses: SimulatorAddresses; authorities: string }
}

/** Gives the limits of V8's heap for a process, in MB. Options of the operator come after these. Without limits a dispatcher grew to 397 MB. */
const heapOptionsOf = (name: ProcessName | undefined): string =>
  // New objects: 8, 16 and 32 MB gave 1,780, 2,080 and 2,110 pushes/s in 283, 302 and 337 MB; a dispatcher makes half the garbage since, and is as
  // fast with 8. Old ones: with 1 GB V8 collects at 210 MB instead of 300.
  `--max-semi-space-size=${name === 'dispatcher' ? 8 : 16} --max-old-space-size=1024`

/** Where the gateway finds what it serves, unless the operator says so. */
const builtPages = { DASHBOARD_DIR: 'apps/dashboard/dist', WEB_SDK_DIR: 'sdks/web/dist', GUIDE_DIR: 'dist/guide' }

/**
 * Gives the environment of a process with these services (or the simulator): the starter's and what it computed. Secrets and database addresses go
 * only to services that need them; the owner's DATABASE_URL and a given socket to none.
 */
export function environmentOf(names: readonly ProcessName[], given: NodeJS.ProcessEnv, computed: Computed): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...given, NATS_URL: computed.natsUrl, HOST: computed.host }
  const [only] = names.length === 1 ? names : []
  environment['OTEL_SERVICE_NAME'] ||= only ?? 'herald'
  environment['NODE_OPTIONS'] = [heapOptionsOf(only), given['NODE_OPTIONS']].filter(Boolean).join(' ')
  const notInherited = [
    'DATABASE_URL',
    ...appsWithDatabase.flatMap((app) => [databaseVariable(app), ownerVariable(app), readVariable(app)]),
    'NATS_USER',
    'NATS_PASSWORD',
    ...natsUsers.map(natsPasswordVariable),
    ...secretsOf.gateway,
    'LISTEN_FDS',
    'LISTEN_PID',
  ]
  for (const variable of notInherited) delete environment[variable]

  for (const name of names) {
    for (const secret of secretsOf[name]) environment[secret] = computed.secrets[secret]
    if (hasDatabase(name)) {
      environment[databaseVariable(name)] = given[databaseVariable(name)] || computed.databaseUrls[name]
      if (given[readVariable(name)]) environment[readVariable(name)] = given[readVariable(name)]
    }
    if (usesNats(name)) environment[natsPasswordVariable(name)] = computed.secrets.natsPasswords[name]
    else delete environment['NATS_URL']
  }
  // A NATS server of the operator may have one user for all services; the embedded one has a user for each service.
  if (given['NATS_URL'] && given['NATS_PASSWORD'] && names.some(usesNats)) {
    for (const app of apps) delete environment[natsPasswordVariable(app)]
    Object.assign(environment, { NATS_PASSWORD: given['NATS_PASSWORD'], ...(given['NATS_USER'] && { NATS_USER: given['NATS_USER'] }) })
  }
  if (names.includes('gateway')) {
    environment['PORT'] = String(computed.port)
    for (const [variable, directory] of Object.entries(builtPages)) environment[variable] ||= join(root, directory)
  }
  if (computed.simulator !== undefined) {
    if (names.includes('gateway'))
      environment['SIMULATOR_CONTROL_URL'] = given['SIMULATOR_CONTROL_URL'] || computed.simulator.addresses.control
    Object.assign(environment, simulatorVariables(given, computed.simulator.addresses))
    if (names.some((name) => callsOutside.includes(name))) environment['NODE_EXTRA_CA_CERTS'] = computed.simulator.authorities
  }
  return environment
}

/**
 * Gives the variables that point services at the simulator. When the operator gives the address of one APNs environment, the simulator's address
 * must not be set for the other (spec: running/simulator).
 */
function simulatorVariables(given: NodeJS.ProcessEnv, addresses: SimulatorAddresses): NodeJS.ProcessEnv {
  const apnsGiven = Boolean(given['APNS_URL'] || given['APNS_SANDBOX_URL'])
  return {
    ...(apnsGiven ? {} : { APNS_URL: addresses.apns, APNS_SANDBOX_URL: addresses.apnsSandbox }),
    FCM_URL: given['FCM_URL'] || addresses.fcm,
    FCM_TOKEN_URL: given['FCM_TOKEN_URL'] || addresses.fcmToken,
    WEB_PUSH_ALLOW_PRIVATE: given['WEB_PUSH_ALLOW_PRIVATE'] || 'true',
  }
}
