import { apps, appsWithDatabase, type AppName, type AppWithDatabase } from '@herald/contracts/call'
import type { NatsUser } from '@herald/contracts/grants'
import { StartError } from './start-error.ts'

/** The processes that can be started by name: the services, and the simulator, which is not part of the product. */
export type ProcessName = AppName | 'simulator'

export type SecretName = 'ADMIN_TOKEN' | 'HMAC_SECRET' | 'SEAL_KEYS' | 'SIMULATOR_CONTROL_TOKEN'

/** Which of these secrets each process gets (spec: running/secrets-apart). */
export const secretsOf: Record<ProcessName, readonly SecretName[]> = {
  gateway: ['ADMIN_TOKEN', 'HMAC_SECRET', 'SEAL_KEYS', 'SIMULATOR_CONTROL_TOKEN'],
  dispatcher: ['HMAC_SECRET', 'SEAL_KEYS'],
  webhooks: ['SEAL_KEYS'],
  audience: [],
  campaigns: [],
  tracker: [],
  simulator: ['SIMULATOR_CONTROL_TOKEN'],
}

/** The services that call servers outside Herald over TLS, and so must trust the simulator's CA. */
export const callsOutside: readonly ProcessName[] = ['gateway', 'dispatcher', 'webhooks']

export const hasDatabase = (name: ProcessName): name is AppWithDatabase => appsWithDatabase.some((app) => app === name)

export const databaseVariable = (app: AppWithDatabase): string => `DATABASE_URL_${app.toUpperCase()}`

/** Gives the name of the variable that has the address of the owner of a service's database, where it is not the one of DATABASE_URL. */
export const ownerVariable = (app: AppWithDatabase): string => `DATABASE_OWNER_URL_${app.toUpperCase()}`

/** Gives the name of the variable that has a service's address on a replica. */
export const readVariable = (app: AppWithDatabase): string => `DATABASE_READ_URL_${app.toUpperCase()}`

/** The addresses of the owners of the databases, by service. Services may share a server, or have one each. */
export type Owners = Record<AppWithDatabase, string>

/** Whether somebody else makes the roles of the services: then the address of a service is that of the owner of its schema (spec: running/given-roles). */
export function rolesAreGiven(environment: NodeJS.ProcessEnv): boolean {
  const roles = environment['DATABASE_ROLES'] || 'made'
  if (roles !== 'made' && roles !== 'given') throw new StartError(`DATABASE_ROLES is ${roles}: it must be made or given.`)
  return roles === 'given'
}

/** Gives the owner of each service's database: its own, or that of DATABASE_URL; where roles are given, the service's role. */
export function ownersOf(byDefault: string, environment: NodeJS.ProcessEnv): Owners {
  const areGiven = rolesAreGiven(environment)
  const missing = appsWithDatabase.map(databaseVariable).filter((name) => areGiven && !environment[name])
  if (missing.length > 0) throw new StartError(`DATABASE_ROLES is given, and these addresses are not: ${missing.join(', ')}.`)
  return Object.fromEntries(
    appsWithDatabase.map((app) => [app, environment[areGiven ? databaseVariable(app) : ownerVariable(app)] || byDefault]),
  ) as Owners
}

/** Gives the name of the variable with which the starter gets the password of a service's NATS user; the service itself gets it as NATS_PASSWORD. */
export const natsPasswordVariable = (app: NatsUser): string => `NATS_PASSWORD_${app.toUpperCase()}`

export const usesNats = (name: ProcessName): name is AppName => apps.some((app) => app === name)

export { apps, appsWithDatabase }
