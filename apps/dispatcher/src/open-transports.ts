import { Resolver } from 'node:dns/promises'
import { readPrivateKey, readVapidKey } from '@herald/auth/provider-token'
import { openSealer } from '@herald/auth/seal'
import type { ProviderCredentials } from '@herald/contracts/app'
import type { CircuitEnvironment } from '@herald/contracts/batch'
import { apnsToken } from '@herald/contracts/calls/gateway'
import type { EndpointRule } from '@herald/contracts/destination'
import type { SentTo } from '@herald/contracts/recipient'
import type { Bus } from '@herald/service/bus'
import { endpointRuleOf } from '@herald/service/config'
import {
  guardBy,
  rememberingResolve,
  resolveByHostsFile,
  resolveByServers,
  type Guard,
  type Resolve,
} from '@herald/service/guarded-connect'
import type { Service } from '@herald/service/run'
import { LRUCache } from 'lru-cache'
import type { Config } from './config.ts'
import type { Environment } from './core/answer.ts'
import { openConnectionNotes } from './transports/connection-notes.ts'
import { openApnsLine } from './transports/apns.ts'
import { firstEnvironment, openApns, type ApnsAddresses } from './transports/apns-app.ts'
import { openFcmLine } from './transports/fcm.ts'
import { openFcm } from './transports/fcm-app.ts'
import type { Line } from './transports/line.ts'
import { tell, type Transport } from './transports/transport.ts'
import { hostOf, openWebPush, type WebPush } from './transports/web-push.ts'

/** A transport with an app's credentials in it. */
export type AppTransport = {
  transport: Transport
  /** The version of the credentials. */
  version: number
  /** The APNs environment of the credentials; empty elsewhere. */
  environment: CircuitEnvironment
  /** The environment that a recipient's push is sent to first: its circuit. */
  environmentOf(to: SentTo): CircuitEnvironment
  /** What a recipient's push shares with others that may be slow together: its origin in the window. */
  originOf(to: SentTo): string
}

export type Transports = {
  /** The transport for these credentials; it is kept, with its connections, until they change. */
  for(appId: string, credentials: ProviderCredentials): AppTransport
  /** A transport for one push, beside those that are kept, with connections of its own. APNs is asked in the environment of the credentials alone. */
  openForCheck(appId: string, credentials: ProviderCredentials): { transport: Transport; close(): void }
  close(): Promise<void>
}

/** So many apps' connections are kept; an idle one costs a ping in half a minute. */
const keptTransports = 500

/**
 * Opens transports as they are needed. The names of push services come from devices, so they are asked of the name servers by themselves:
 * getaddrinfo, of which few run at once, stays with FCM, OAuth and APNs. In development the hosts file is looked into first.
 * `given.resolve` stands for the name servers in a test.
 */
export async function openTransports(service: Service<Config>, bus: Bus, given: { resolve?: Resolve } = {}): Promise<Transports> {
  const { config, log } = service
  const sealer = openSealer(config.SEAL_KEYS)
  const rule = endpointRuleOf(config)
  const nameServers = new Resolver({ timeout: 1_500, tries: 2 })
  const byServers = given.resolve ?? resolveByServers(nameServers)
  const resolve = rule.allowPrivate ? resolveByHostsFile(byServers) : byServers
  const addresses = apnsAddresses(config)
  const lines = await linesOf(config, openConnectionNotes(service))
  const webPush = lines.openWebPush(guardBy(rememberingResolve(resolve), rule), rule)
  const closeLater = (transport: Transport) =>
    void transport.close().catch((error: unknown) => log.warn({ err: error }, 'a transport did not close'))
  const opened = new LRUCache<string, AppTransport>({
    max: keptTransports,
    dispose: ({ transport }) => closeLater(transport),
  })

  const onSkew = (aheadMs: number) => {
    const aheadSeconds = Math.round(aheadMs / 1000)
    log.warn(
      { aheadSeconds },
      'this machine’s clock is off the provider’s by more than a minute: set it, or tokens signed by it are refused',
    )
  }
  const open = (appId: string, credentials: ProviderCredentials, { oneEnvironmentOnly = false } = {}): AppTransport => {
    const { version } = credentials
    switch (credentials.kind) {
      case 'apns': {
        const askForToken = (refused: string | null) => bus.call(apnsToken, { appId, refused })
        const { bundleId: topic, environment } = credentials
        const [production, sandbox, own] = (['production', 'sandbox', environment] as const).map((one) => firstEnvironment(one, addresses))
        const environmentOf = (recipient: SentTo) =>
          (recipient.environment === 'production' ? production : recipient.environment === 'sandbox' ? sandbox : own) ?? environment
        const asked = own !== undefined && oneEnvironmentOnly ? { [own]: addresses[own] } : addresses
        return {
          transport: openApns({ topic, environment, addresses: asked, askForToken, openLine: lines.apns }),
          version,
          environment: own ?? environment,
          environmentOf,
          originOf: (recipient) => (environmentOf(recipient) === 'sandbox' ? 'apns sandbox' : 'apns production'),
        }
      }
      case 'fcm': {
        const { projectId, clientEmail, tokenUri, sealedPrivateKey, sealContext } = credentials
        const privateKey = readPrivateKey(sealer.open(sealedPrivateKey, sealContext).toString())
        const line = lines.fcm(projectId)
        const transport = openFcm({ clientEmail, tokenUri, tokenUrl: config.FCM_TOKEN_URL, privateKey, onSkew, line })
        return { transport, version, ...oneEnvironment, originOf: () => 'fcm' }
      }
      case 'webpush': {
        const { subject, publicKey, sealedPrivateKey, sealContext } = credentials
        const privateKey = readVapidKey(publicKey, sealer.open(sealedPrivateKey, sealContext).toString())
        const transport = webPush.forApp({ appId, subject, publicKey, privateKey })
        return { transport, version, ...oneEnvironment, originOf: (recipient) => `web ${hostOf(recipient.address)}` }
      }
    }
  }

  /** Keys that do not open (a SEAL_KEYS entry was dropped too early) are wrong credentials, not a reason to take the batch again and again. */
  const openOrRefuse = (appId: string, credentials: ProviderCredentials, about = {}): AppTransport => {
    try {
      return open(appId, credentials, about)
    } catch (error) {
      log.error({ appId, kind: credentials.kind, error: error instanceof Error ? error.name : '' }, 'the credentials do not open')
      return { transport: refusing, version: credentials.version, ...oneEnvironment, originOf: () => credentials.kind }
    }
  }

  return {
    for(appId, credentials) {
      const key = `${appId}/${credentials.kind}`
      const known = opened.get(key)
      if (known && known.version === credentials.version) return known
      const fresh = openOrRefuse(appId, credentials)
      opened.set(key, fresh)
      return fresh
    },
    openForCheck(appId, credentials) {
      const { transport } = openOrRefuse(appId, credentials, { oneEnvironmentOnly: true })
      return { transport, close: () => closeLater(transport) }
    },
    async close() {
      nameServers.cancel()
      await Promise.all([webPush.close(), ...[...opened.values()].map(({ transport }) => transport.close())])
    },
  }
}

const refusing: Transport = {
  send: (_, hear) => tell(Promise.resolve({ is: 'unsendable', why: 'credentials' }), hear),
  close: () => Promise.resolve(),
}

const oneEnvironment: Pick<AppTransport, 'environment' | 'environmentOf'> = { environment: '', environmentOf: () => '' }

/** What opens the way to APNs, to FCM and to push services. */
type Lines = {
  apns: (url: URL, environment: Environment, topic: string) => Line
  fcm: (projectId: string) => Line
  openWebPush: (guard: Guard, rule: EndpointRule) => WebPush
}

/** Our own, or those of the providers' libraries, which are in memory only when they are asked for. */
async function linesOf({ TRANSPORT, FCM_URL }: Config, notes: ReturnType<typeof openConnectionNotes>): Promise<Lines> {
  if (TRANSPORT === 'own') {
    const fcmUrl = new URL(FCM_URL ?? 'https://fcm.googleapis.com')
    return {
      apns: (url, environment, topic) => openApnsLine(url, environment, topic, notes('ios', url.host)),
      fcm: (projectId) => openFcmLine(fcmUrl, projectId, notes('android', fcmUrl.host)),
      openWebPush: (guard, rule) => openWebPush(guard, rule, notes('web')),
    }
  }
  const [apns, fcm, firebase, webPush] = await Promise.all([
    import('./transports/library/apns.ts'),
    import('./transports/library/fcm.ts'),
    import('./transports/library/firebase.ts'),
    import('./transports/library/web-push.ts'),
  ])
  if (FCM_URL) firebase.redirectFirebase(new URL(FCM_URL))
  return { apns: apns.openApnsLine, fcm: fcm.openFcmLine, openWebPush: webPush.openWebPush }
}

/** Apple's own unless one is given; when only one is, the other environment does not exist here. */
function apnsAddresses({ APNS_URL: production, APNS_SANDBOX_URL: sandbox }: Config): ApnsAddresses {
  if (!production && !sandbox) {
    return { production: new URL('https://api.push.apple.com'), sandbox: new URL('https://api.sandbox.push.apple.com') }
  }
  return { production: production ? new URL(production) : undefined, sandbox: sandbox ? new URL(sandbox) : undefined }
}
