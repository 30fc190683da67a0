import { apps, appsWithDatabase, type AppName, type AppWithDatabase } from '@herald/contracts/call'

/** The processes that can be started by name: the apps, and the simulator, which is no part of the product. */
export type ProcessName = AppName | 'simulator'

/**
 * The order in which the apps are started; they are stopped in the reverse order. An app needs the apps before it until its last moment: a dispatcher's last
 * outcomes go to audience and tracker. The gateway is stopped first, so that no new work comes in.
 */
export const startOrder: readonly AppName[][] = [['tracker', 'webhooks'], ['audience'], ['campaigns', 'dispatcher'], ['gateway']]

/** The secrets that each app gets (spec: running/secrets-apart). They are in no other environment. */
export const secretsOf: Record<ProcessName, readonly ('ADMIN_TOKEN' | 'HMAC_SECRET' | 'SEAL_KEYS')[]> = {
  gateway: ['ADMIN_TOKEN', 'HMAC_SECRET', 'SEAL_KEYS'],
  dispatcher: ['HMAC_SECRET', 'SEAL_KEYS'],
  webhooks: ['SEAL_KEYS'],
  audience: [],
  campaigns: [],
  tracker: [],
  simulator: [],
}

/** The apps that call servers outside of Herald over TLS, and so must know the simulator's CA. */
export const callsOutside: readonly ProcessName[] = ['gateway', 'dispatcher', 'webhooks']

export const hasDatabase = (name: ProcessName): name is AppWithDatabase => appsWithDatabase.some((app) => app === name)

/** The variable that holds an app's own database address. */
export const databaseVariable = (app: AppWithDatabase): string => `DATABASE_URL_${app.toUpperCase()}`

/** The variable that gives the starter the password of an app's NATS user; the app itself finds it as NATS_PASSWORD. */
export const natsPasswordVariable = (app: AppName): string => `NATS_PASSWORD_${app.toUpperCase()}`

export const usesNats = (name: ProcessName): name is AppName => apps.some((app) => app === name)

export { apps, appsWithDatabase }
