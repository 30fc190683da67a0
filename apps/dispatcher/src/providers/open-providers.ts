import { openSealer } from '@herald/auth/seal'
import type { ProviderCredentials, ProviderKind } from '@herald/contracts/app'
import type { Platform } from '@herald/contracts/platform'
import type { Bus } from '@herald/service/bus'
import type { Resolve } from '@herald/service/guarded-connect'
import type { Service } from '@herald/service/run'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { word } from '../core/answer.ts'
import { apns } from './apns/provider.ts'
import { fcm } from './fcm/provider.ts'
import {
  oneEnvironment,
  tell,
  type AppTransport,
  type NoteConnection,
  type OpenProvider,
  type Provider,
  type Transport,
} from './provider.ts'
import { field, jsonOf } from './reply.ts'
import { webPush } from './web-push/provider.ts'

/** The provider of each platform. A new provider is a folder beside these, and a line here (docs/add-a-provider.md). */
export const providers: Readonly<Record<Platform, Provider>> = { ios: apns, android: fcm, web: webPush }

export type Transports = {
  /** Gives the transport for an app's credentials. It is kept, with its connections, until the credentials change or too many others are kept. */
  for(appId: string, credentials: ProviderCredentials): AppTransport
  /** Opens a transport with new connections, for the one push of a check. It asks one APNs environment only. */
  openForCheck(appId: string, credentials: ProviderCredentials): { transport: Transport; close(): void }
  close(): Promise<void>
}

/**
 * At most this many transports are kept open with their connections. Each app has one for each of its providers. The number may be high, because an
 * idle connection to APNs or FCM costs only a ping a minute.
 */
const keptTransports = 500

/** Makes every provider ready to send. `resolve` replaces the name servers in a test. */
export async function openTransports(
  { config, log, metrics }: Pick<Service<Config>, 'config' | 'log' | 'metrics'>,
  { bus, resolve }: { bus: Bus; resolve: Resolve | undefined },
): Promise<Transports> {
  const sealer = openSealer(config.SEAL_KEYS)
  const unseal = ({ sealedPrivateKey, sealContext }: { sealedPrivateKey: string; sealContext: string }) =>
    sealer.open(sealedPrivateKey, sealContext).toString()
  const notes = openConnectionNotes({ metrics, log })
  const ready = new Map<ProviderKind, OpenProvider>()
  for (const provider of Object.values(providers)) {
    const notesOf = (host?: string) => notes(provider.platform, host)
    ready.set(provider.kind, await provider.open({ config, bus, log, unseal, notesOf, resolve }))
  }
  const closeLater = (transport: Transport) =>
    void transport.close().catch((error: unknown) => log.warn({ err: error }, 'a transport did not close'))
  const kept = new LRUCache<string, AppTransport>({ max: keptTransports, dispose: ({ transport }) => closeLater(transport) })

  const openOrRefuse = (appId: string, credentials: ProviderCredentials, about: { oneEnvironmentOnly: boolean }): AppTransport => {
    const { kind, version } = credentials
    try {
      const provider = ready.get(kind)
      if (!provider) throw new Error(`there is no provider ${kind}`)
      return provider.forApp(appId, credentials, about)
    } catch (error) {
      // A sealed key cannot be opened when its entry of SEAL_KEYS was removed too early. The credentials then count as wrong; an error here would
      // only make NATS deliver the pointer again and again.
      log.error({ appId, kind, error: error instanceof Error ? error.name : '' }, 'the credentials do not open')
      return { transport: refusing, version, rate: null, ...oneEnvironment, originOf: () => kind }
    }
  }

  return {
    for(appId, credentials) {
      const key = `${appId}/${credentials.kind}`
      const known = kept.get(key)
      if (known && known.version === credentials.version) return known
      const fresh = openOrRefuse(appId, credentials, { oneEnvironmentOnly: false })
      kept.set(key, fresh)
      return fresh
    },
    openForCheck(appId, credentials) {
      const { transport } = openOrRefuse(appId, credentials, { oneEnvironmentOnly: true })
      return { transport, close: () => closeLater(transport) }
    },
    async close() {
      await Promise.all([
        ...[...ready.values()].map((provider) => provider.close()),
        ...[...kept.values()].map(({ transport }) => transport.close()),
      ])
    },
  }
}

const refusing: Transport = {
  send: (_, hear) => tell(Promise.resolve({ is: 'unsendable', why: 'credentials' }), hear),
  close: () => Promise.resolve(),
}

/**
 * Counts and logs what happens to provider connections (debug; a GOAWAY's reason: info), with the `host`. It is left out for push services: it is
 * part of a device's address.
 */
export function openConnectionNotes({
  metrics,
  log,
}: Pick<Service, 'metrics' | 'log'>): (platform: Platform, host?: string) => NoteConnection {
  const labels = ['platform', 'event'] as const
  const events = metrics.counter('herald_provider_connections_total', 'Connections to providers, by what happened to them.', labels)
  return (platform, host) => (event) => {
    events.labels(platform, event.is).inc()
    if (event.is !== 'draining') return log.debug({ platform, host, ...event }, 'a connection to a provider')
    const { debug, ...draining } = event
    const said = word(field(jsonOf(Buffer.from(debug)), 'reason'))
    // Any device can name a push service, so only a provider with a host writes lines at level info.
    const level = said !== '' && host !== undefined ? 'info' : 'debug'
    return log[level]({ platform, host, ...draining, ...(said && { said }) }, 'a connection to a provider')
  }
}
