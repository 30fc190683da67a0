import { BlockList } from 'node:net'
import { openSealer } from '@herald/auth/seal'
import { apnsToken as apnsTokenCall, readApp as readAppCall, readCredentials as readCredentialsCall } from '@herald/contracts/calls/gateway'
import { endpointRuleOf } from '@herald/service/config'
import { openBus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { apnsToken } from './apps/apns-token.ts'
import { openKeyUses } from './apps/key-uses.ts'
import { readCredentials } from './apps/manage-provider.ts'
import { openWebPushKeys } from './apps/web-push-keys.ts'
import { findApp } from './apps/store/apps.ts'
import { openAdminKeys, openApiKeys, usableAdminToken } from './authenticate.ts'
import { openTestWaits } from './campaigns/await-tests.ts'
import { openEventCounter } from './campaigns/count-events.ts'
import { openProgressFeed } from './campaigns/follow-progress.ts'
import { openChanges } from './changes.ts'
import type { Config } from './config.ts'
import { readTrustedProxies } from './core/client-address.ts'
import type { Gateway } from './gateway.ts'
import { openBodyBudget } from './http/body-budget.ts'
import { openHeavyReads } from './heavy-reads.ts'
import { openLimits } from './http/limits.ts'
import { openSharedLimits, ownLimits } from './shared-limits.ts'
import { listen } from './http/listen.ts'
import { routes } from './http/routes.ts'
import { serve } from './http/serve.ts'
import { keepHouse } from './keep-house.ts'
import { openMeasures } from './measures.ts'
import { openPages } from './pages/http/static-files.ts'
import { openPictures } from './pictures/remember-pictures.ts'
import { openIdentityRules } from './people/check-identity.ts'
import { openConversionCounter, openConversionRules } from './people/report-conversions.ts'
import { openSessions } from './session/sessions.ts'
import { openSignIn } from './session/sign-in.ts'
import { openSimulator } from './simulator/ask-simulator.ts'
import { openSimulatorTail } from './simulator/watch-simulator.ts'
import type { Tables } from './store/tables.ts'
import { openEventTail } from './webhooks/watch-events.ts'

/** Connects the parts of the gateway: requests and calls with the functions that answer them. Gives the port once the gateway takes requests. */
export async function wireGateway(service: Service<Config>): Promise<{ port: number }> {
  const { config, log } = service
  const { db, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_GATEWAY,
    poolSize: config.DATABASE_POOL_SIZE,
    pooler: config.DATABASE_POOLER,
    readUrl: config.DATABASE_READ_URL,
  })
  const bus = await openBus(service, watch)
  const sealer = openSealer(config.SEAL_KEYS)

  const uses = openKeyUses()
  // When the database is away the gateway stops all the same. The uses of keys that were not written are then lost.
  service.onStop('key uses', () =>
    watch.guard(() => uses.write(db)).catch((error: unknown) => log.debug({ err: error }, 'the last uses of keys were not written')),
  )
  const keys = openApiKeys({ db, uses }, config.API_KEY_CACHE_TTL)
  const adminKeys = openAdminKeys({ db, uses }, config.API_KEY_CACHE_TTL)
  const identityRules = openIdentityRules({ db }, config.API_KEY_CACHE_TTL)
  const conversionRules = openConversionRules({ db }, config.API_KEY_CACHE_TTL)
  const webPushKeys = openWebPushKeys({ db }, config.API_KEY_CACHE_TTL)

  bus.answer(readAppCall, async ({ appId }) => ({ app: (await findApp(db, appId)) ?? null }))
  bus.answer(readCredentialsCall, async (asked) => ({ credentials: await readCredentials({ db }, asked) }))
  bus.answer(apnsTokenCall, (asked) => apnsToken({ db, sealer }, asked))

  const openLimit = config.RATE_LIMITS === 'shared' ? await openSharedLimits(service, { db, watch }) : ownLimits
  const adminToken = usableAdminToken(config.ADMIN_TOKEN, log)
  const life = { idleSeconds: config.SESSION_IDLE_HOURS * 3_600, wholeSeconds: config.SESSION_DAYS * 86_400 }
  // Without a token no session is ever looked for: every path of the administration answers 404 before that.
  const sessions = openSessions({ db, watch, bus }, adminToken ?? '', life)
  const changes = openChanges({ bus, memories: [keys, adminKeys, sessions, identityRules, conversionRules, webPushKeys] })
  const hmacSecrets = [config.HMAC_SECRET, ...secretsIn(config.HMAC_SECRET_PREVIOUS)]
  const simulator = openSimulator(config.SIMULATOR_CONTROL_URL, config.SIMULATOR_CONTROL_TOKEN)
  const gateway: Gateway = {
    ...{ db, reads, watch, bus, sealer, changes, identityRules, conversionRules, webPushKeys, hmacSecrets, sessions, simulator },
    countEvent: openEventCounter({ bus }),
    countConversion: openConversionCounter({ bus }),
    progress: openProgressFeed({ bus, log }),
    tail: openEventTail({ bus, log }, async (appId) => (await findApp(db, appId)) !== undefined),
    simulatorTail: openSimulatorTail({ simulator }, hmacSecrets),
    tests: openTestWaits({ bus }),
    heavyReads: openHeavyReads(),
    endpointRule: endpointRuleOf(config),
    pictures: openPictures({ db }),
    pages: openPages(config, adminToken !== undefined),
    signIn: openSignIn({ db, sessions, adminKeys }, adminToken, openLimit),
    installed: {
      baseUrl: config.HERALD_BASE_URL,
      proxies: config.TRUSTED_PROXIES !== undefined,
      simulator: config.SIMULATOR_CONTROL_URL !== undefined,
    },
  }

  const measure = openMeasures(service.metrics)
  const trusted = readTrustedProxies(config.TRUSTED_PROXIES) ?? { ranges: new BlockList(), isGiven: true }
  if (!trusted.isGiven)
    log.info(
      'TRUSTED_PROXIES is not set: a proxy in front must overwrite x-forwarded-for, or clients choose the address by which limits count',
    )
  const limits = openLimits(config, trusted, measure, openLimit)
  const bodies = openBodyBudget(() => measure.rateLimited('bodies'))
  const port = await listen(service, serve(routes, gateway, { keys, adminKeys, limits, bodies, adminToken, log, measure }))
  service.onStop('progress streams', () => gateway.progress.close())
  service.onStop('waits for tests', () => gateway.tests.close())
  service.onStop('event streams', () => gateway.tail.close())
  service.onStop('streams of the simulator', () => gateway.simulatorTail.close())
  keepHouse(service, { db, bus, watch, sealer, uses }, { life, auditDays: config.AUDIT_RETENTION_DAYS })
  return { port }
}

const secretsIn = (list: string): string[] =>
  list
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
