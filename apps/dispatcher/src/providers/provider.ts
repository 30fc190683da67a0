import { hash } from 'node:crypto'
import type { ProviderCredentials } from '@herald/contracts/app'
import type { CircuitEnvironment, ProviderRate } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'
import type { SentTo } from '@herald/contracts/recipient'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { Bus } from '@herald/service/bus'
import type { Resolve } from '@herald/service/guarded-connect'
import type { Log } from '@herald/service/log'
import type { Config } from '../config.ts'
import { asError, type Answer, type Environment } from '../core/answer.ts'
import type { AnswerRow } from '../core/answer-meaning.ts'

/**
 * What the dispatcher knows about a provider. Each provider has a folder, whose `provider.ts` exports one of these. `open-providers.ts` lists them.
 */
export type Provider<Credentials extends ProviderCredentials = ProviderCredentials> = {
  readonly platform: Platform
  readonly kind: Credentials['kind']
  /** What the provider's answers mean: the first row that fits an answer counts. */
  readonly answers: readonly AnswerRow[]
  /** Whether the provider's devices take a push that shows nothing. If not, a silent push is skipped with `silent_web`. */
  readonly takesSilent: boolean
  /**
   * Whether devices name their hosts, as browsers name push services. One can be away alone: this process remembers it (`origins.ts`), and audience's
   * circuit does not count it.
   */
  readonly hasManyHosts: boolean
  /** A push that can reach no device. A check sends it to find out whether the provider takes the credentials. */
  readonly checkPush: Push
  /** Gives a mistake in the credentials that shows without asking the provider, as a word for the operator; null when there is none. */
  mistakeIn(credentials: Credentials): string | null
  /** Makes the provider ready to send, once per process. The first push that needs a connection opens it. */
  open(opening: Opening): Promise<OpenProvider<Credentials>>
}

export type CredentialsOf<Kind extends ProviderCredentials['kind']> = Extract<ProviderCredentials, { kind: Kind }>

/** What a provider needs to become ready. */
export type Opening = {
  config: Config
  bus: Pick<Bus, 'call'>
  log: Log
  /** Opens the sealed private key of credentials. Throws when no key of SEAL_KEYS opens it. */
  unseal: (credentials: { sealedPrivateKey: string; sealContext: string }) => string
  /**
   * Makes the function that is called with the events of connections. A push service's host is left out, because it is part of a device's address.
   */
  notesOf: (host?: string) => NoteConnection
  /** Replaces the name servers in a test. */
  resolve: Resolve | undefined
}

/** Counts and logs an event of a connection to a provider. */
export type NoteConnection = (event: OriginEvent) => void

/** A provider that is ready to send. */
export type OpenProvider<Credentials extends ProviderCredentials = ProviderCredentials> = {
  /** Makes a transport with an app's credentials. With `oneEnvironmentOnly` it asks one APNs environment only: `AppTransport.environment`. */
  forApp(appId: string, credentials: Credentials, about: { oneEnvironmentOnly: boolean }): AppTransport
  /** Closes what the transports of all apps share. */
  close(): Promise<void>
}

/** A transport with an app's credentials. */
export type AppTransport = {
  transport: Transport
  version: number
  /** The rate that the credentials share with whoever else uses them; null when they have none (spec: providers/quota). */
  rate: ProviderRate | null
  /**
   * The environment that is asked first for devices that name none: the APNs environment of the credentials, or the other one if only the other one
   * has an address. Empty for other providers.
   */
  environment: CircuitEnvironment
  /** Gives the environment that a recipient's push is sent to first. It names the circuit of the push. */
  environmentOf(to: SentTo): CircuitEnvironment
  /** Gives the name of the origin that a recipient's push goes to. Pushes of one origin share a part of the window (`window.ts`). */
  originOf(to: SentTo): string
}

/** Names credentials for the rate that they share. The name is a hash, since the row outlives an app that is erased. */
export const rateScope = (kind: string, ...names: string[]): string =>
  `${kind} ${hash('sha256', names.join(' '), 'base64url').slice(0, 22)}`

/** The environment fields of an `AppTransport` whose provider has only one environment. */
export const oneEnvironment: Pick<AppTransport, 'environment' | 'environmentOf'> = { environment: '', environmentOf: () => '' }

/** One push, ready to be handed over to its provider. */
export type Push = {
  msgId: string
  /** The device token or the endpoint. It is never logged. */
  address: string
  /** The encryption keys of a browser; null on other platforms. */
  keys: { p256dh: string; auth: string } | null
  /** The APNs environment that is asked first; null to ask the environment of the credentials. */
  environment: Environment | null
  /** The request's JSON, as payload.ts of contracts built it for the platform. */
  body: string
  collapseId: string | null
  /** In a recall, the msgId of the device's first push, whose identity this one carries. */
  recalled?: string | undefined
  silent: boolean
  priority: 'high' | 'normal'
  /** Set when the push goes to a Live Activity, whose token `address` is. */
  isActivity?: true
  /** Whether the notification asks for no attention, so that a browser that saves its battery may have it later. */
  passive?: boolean
  /** What is left of the ttl, in whole seconds. 0 means that the provider delivers the push now or never. */
  ttlSeconds: number
  /** When the ttl ends, in Unix seconds by the database's clock. APNs is told an instant, and this machine's clock may be minutes off. */
  expiresAtSeconds: number
}

/** The fields of a check's push, except its address and body. */
export const emptyPush = {
  msgId: 'check',
  keys: null,
  environment: null,
  collapseId: null,
  silent: true,
  priority: 'normal',
  ttlSeconds: 0,
  expiresAtSeconds: 0,
} as const

/** Is called once with what came of a push. An Error is a mistake of Herald's. The function must not throw. */
export type Hear = (answer: Answer | Error) => void

/**
 * Hands an app's pushes to one provider; the caller bounds how many (`window.ts`). It repeats only what was surely not delivered. It calls a function
 * because promises took a fifth of a push's time.
 */
export type Transport = {
  send(push: Push, hear: Hear): void
  /** Waits until the pushes in flight have ended, then closes the connections. */
  close(): Promise<void>
}

/**
 * A connection to a provider that knows Herald by a token: an APNs environment for one app, or FCM for one project. It sends each request once; the
 * caller chooses tokens and environments and repeats pushes.
 */
export type Line = {
  send(push: Push, token: string, hear: Hear): void
  /** Waits until the pushes in flight have ended, then closes the connections. A push that is sent after this is answered `refused`. */
  close(): Promise<void>
}

/** Calls `hear` with the answer of a promise, or with an Error when the promise is rejected, which is a bug of Herald's. */
export const tell = (answer: Promise<Answer>, hear: Hear): void => void answer.then(hear, (error: unknown) => hear(asError(error)))

/** Gives the answer to a push as a promise, for rare cases. The promise is rejected when Herald itself made a mistake. */
export const answerOf = (send: (hear: Hear) => void): Promise<Answer> =>
  new Promise((resolve, reject) => send((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))))

/** The dispatcher waits at most this long for a provider's answer. When the time is up, the push may have been delivered, or not. */
export const answerLimitMs = 10_000
