import { existsSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { openSealer } from '@herald/auth/seal'
import { apnsToken as apnsTokenCall, readApp as readAppCall, readCredentials as readCredentialsCall } from '@herald/contracts/calls/gateway'
import { trackEvents, type Engagement } from '@herald/contracts/calls/tracker'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { endpointRuleOf } from '@herald/service/config'
import { daily } from '@herald/service/daily'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { apnsToken } from './apps/apns-token.ts'
import { keepAudit } from './write-audit.ts'
import { openApiKeys } from './authenticate.ts'
import { openSimulator } from './simulator/ask-simulator.ts'
import { openTestWaits } from './campaigns/await-tests.ts'
import { openChanges } from './changes.ts'
import type { Config } from './config.ts'
import { parseRanges } from './core/client-address.ts'
import { eraseApps } from './apps/erase-apps.ts'
import { openProgressFeed } from './campaigns/follow-progress.ts'
import { openIdentityRules } from './people/identity-rules.ts'
import { openHeavyReads } from './heavy-reads.ts'
import { openLimits } from './http/limits.ts'
import { listen } from './http/listen.ts'
import { openPages } from './pages/http/pages.ts'
import { openMeasure } from './measures.ts'
import { routes } from './http/routes.ts'
import { serve } from './http/serve.ts'
import { openKeyUses, writeKeyUses } from './apps/key-uses.ts'
import { readCredentials } from './apps/read-credentials.ts'
import { reseal } from './apps/reseal.ts'
import { endSessions, openSessions } from './session/sessions.ts'
import { openSignIn } from './session/sign-in.ts'
import { findApp } from './apps/store/apps.ts'
import type { Tables } from './store/tables.ts'
import { openWebPushKeys } from './apps/web-push-keys.ts'
import { openEventTail } from './webhooks/watch-events.ts'
import { openSimulatorTail } from './simulator/watch-simulator.ts'

/** A shorter token could be guessed, so it counts as none. */
const shortestAdminToken = 32

/** A directory of pages: as it was set, beside the program in an image, or where the repository builds it. */
const builtAt = (set: string | undefined, beside: string, inRepository: string): string => {
  if (set !== undefined) return set
  const inImage = join(import.meta.dirname, beside)
  return existsSync(inImage) ? inImage : join(import.meta.dirname, '../../..', inRepository)
}

/** What is plugged into what. Answers the port, once requests are taken. */
export async function wireGateway(service: Service<Config>): Promise<{ port: number }> {
  const { config, log } = service
  const sealer = openSealer(config.SEAL_KEYS)
  const trusted = parseRanges(config.TRUSTED_PROXIES) ?? new BlockList()

  const { db, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_GATEWAY,
    poolSize: config.DATABASE_POOL_SIZE,
  })
  const bus = await openBus(service, watch)
  const keyUses = openKeyUses()
  // A database that is away keeps nobody from stopping: what it does not hear is forgotten, as with a kill.
  const writeLastUses = () => watch.guard(() => keyUses.write(db))
  service.onStop('key uses', () =>
    writeLastUses().catch((error: unknown) => log.debug({ err: error }, 'the last uses of keys were not written')),
  )
  const keys = openApiKeys(db, config.API_KEY_CACHE_TTL, keyUses)
  const identityRules = openIdentityRules(db, config.API_KEY_CACHE_TTL)
  const webPushKeys = openWebPushKeys(db, config.API_KEY_CACHE_TTL)
  const changes = openChanges(bus, keys, identityRules, webPushKeys)

  bus.answer(readAppCall, async ({ appId }) => ({ app: (await findApp(db, appId)) ?? null }))
  bus.answer(readCredentialsCall, async (asked) => ({ credentials: await readCredentials(db, asked) }))
  bus.answer(apnsTokenCall, (asked) => apnsToken({ db, sealer }, asked))

  // Events of many devices share one call: the next goes when the one before is answered, so a lone event never waits.
  const countEvent = group<Engagement, number>(
    async (engagements) => {
      const { counted } = await bus.call(trackEvents, { engagements })
      return engagements.map(() => counted)
    },
    {
      limit: 200,
      maxWaiting: 5_000,
      full: queueUnavailable,
      isShared: (error) => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable'),
    },
  )

  const adminToken = config.ADMIN_TOKEN !== undefined && config.ADMIN_TOKEN.length >= shortestAdminToken ? config.ADMIN_TOKEN : undefined
  if (config.ADMIN_TOKEN !== undefined && adminToken === undefined)
    log.warn({ shortest: shortestAdminToken }, 'ADMIN_TOKEN is too short: /v1/admin answers 404')

  const sessionLife = { idleSeconds: config.SESSION_IDLE_HOURS * 3_600, wholeSeconds: config.SESSION_DAYS * 86_400 }
  // Without a token every path of the administration is 404 before a session is looked for.
  const sessions = openSessions({ db, watch, bus }, adminToken ?? '', sessionLife)

  const hmacSecrets = [
    config.HMAC_SECRET,
    ...config.HMAC_SECRET_PREVIOUS.split(',')
      .map((secret) => secret.trim())
      .filter((secret) => secret !== ''),
  ]
  const progress = openProgressFeed(bus, log)
  const tests = openTestWaits(bus)
  const tail = openEventTail(bus, log, async (appId) => (await findApp(db, appId)) !== undefined)
  const simulator = openSimulator(config.SIMULATOR_CONTROL_URL)
  const simulatorTail = openSimulatorTail(simulator, hmacSecrets)
  const measure = openMeasure(service.metrics)
  const gateway = {
    db,
    reads,
    watch,
    bus,
    sealer,
    changes,
    identityRules,
    hmacSecrets,
    countEvent,
    progress,
    tail,
    heavyReads: openHeavyReads(),
    tests,
    endpointRule: endpointRuleOf(config),
    webPushKeys,
    sessions,
    simulator,
    simulatorTail,
    pages: openPages(
      {
        dashboard: builtAt(config.DASHBOARD_DIR, 'dashboard', 'apps/dashboard/dist'),
        webSdk: builtAt(config.WEB_SDK_DIR, 'sdk', 'sdks/web/dist'),
        guide: builtAt(config.GUIDE_DIR, 'guide', 'dist/guide'),
      },
      adminToken !== undefined,
    ),
    signIn: openSignIn(db, sessions, adminToken),
    installed: { baseUrl: config.HERALD_BASE_URL, simulator: config.SIMULATOR_CONTROL_URL !== undefined },
  }
  const port = await listen(
    service,
    serve(routes, gateway, { keys, limits: openLimits(config, trusted, measure), adminToken, log, measure }),
  )
  service.onStop('progress streams', () => progress.close())
  service.onStop('waits for tests', () => tests.close())
  service.onStop('event streams', () => tail.close())
  service.onStop('streams of the simulator', () => simulatorTail.close())

  startSweep(service, watch, 'erase-apps', () => eraseApps({ db, bus, log }))
  startSweep(service, watch, 'key-uses', writeKeyUses(db, keyUses))
  startSweep(service, watch, 'sessions', endSessions(db, sessionLife))
  startSweep(service, watch, 'audit', keepAudit(db, config.AUDIT_RETENTION_DAYS))
  startSweep(
    service,
    watch,
    'reseal',
    daily(async () => log.info(await reseal({ db, sealer }), 'sealed anew with the first key; what is left needs another')),
  )
  return { port }
}
