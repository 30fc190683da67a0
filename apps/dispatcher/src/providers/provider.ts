import type { ProviderCredentials } from '@herald/contracts/app'
import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'
import type { SentTo } from '@herald/contracts/recipient'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { Bus } from '@herald/service/bus'
import type { Resolve } from '@herald/service/guarded-connect'
import type { Log } from '@herald/service/log'
import type { Config } from '../config.ts'
import { asError, type Answer, type Environment } from '../core/answer.ts'
import type { AnswerRow } from '../core/answer-meaning.ts'

/** What the dispatcher knows about a provider. Each provider has a folder, whose `provider.ts` makes one; `open-providers.ts` lists them. */
export type Provider<Credentials extends ProviderCredentials = ProviderCredentials> = {
  readonly platform: Platform
  readonly kind: Credentials['kind']
  /** What its answers mean: the first row that fits an answer counts. */
  readonly answers: readonly AnswerRow[]
  /** Whether its devices take a push that shows nothing. Where they do not, a silent push is skipped as `silent_web`. */
  readonly takesSilent: boolean
  /**
   * Whether devices name the hosts that their pushes go to, as browsers name push services. Then each host that is away is away alone: this process remembers it
   * (`origins.ts`), and the circuit hears nothing of it.
   */
  readonly hasManyHosts: boolean
  /** A push that can reach no device: it is sent to find out whether the provider takes the credentials. */
  readonly checkPush: Push
  /** A mistake in the credentials that shows without asking the provider, as a word for the operator; null when there is none. */
  mistakeIn(credentials: Credentials): string | null
  /** Makes the provider ready, once per process. Connections are opened by the first push that needs them. */
  open(opening: Opening): Promise<OpenProvider<Credentials>>
}

export type CredentialsOf<Kind extends ProviderCredentials['kind']> = Extract<ProviderCredentials, { kind: Kind }>

/** What a provider is made ready with. */
export type Opening = {
  config: Config
  bus: Pick<Bus, 'call'>
  log: Log
  /** Opens a sealed key of credentials. Throws when no key of SEAL_KEYS fits. */
  unseal: (credentials: { sealedPrivateKey: string; sealContext: string }) => string
  /** Makes what hears of the connections to a host. The host of a push service is part of a device's address, and is left out. */
  notesOf: (host?: string) => NoteConnection
  /** Stands for the name servers in a test. */
  resolve: Resolve | undefined
}

/** Hears what happens to the connections to a provider. */
export type NoteConnection = (event: OriginEvent) => void

/** A provider that is ready to send. */
export type OpenProvider<Credentials extends ProviderCredentials = ProviderCredentials> = {
  /** Makes a transport with an app's credentials. With `oneEnvironmentOnly` APNs is asked in the environment of the credentials alone. */
  forApp(appId: string, credentials: Credentials, about: { oneEnvironmentOnly: boolean }): AppTransport
  /** Closes what the transports of all apps share. */
  close(): Promise<void>
}

/** A transport with an app's credentials in it. */
export type AppTransport = {
  transport: Transport
  /** The version of the credentials. */
  version: number
  /** The APNs environment of the credentials; empty for other providers. */
  environment: CircuitEnvironment
  /** The environment that a recipient's push is sent to first: it names the circuit of the push. */
  environmentOf(to: SentTo): CircuitEnvironment
  /** The name of the origin that a recipient's push goes to. Pushes of one origin may be slow together, so they share a part of the window. */
  originOf(to: SentTo): string
}

/** For a provider that has one environment. */
export const oneEnvironment: Pick<AppTransport, 'environment' | 'environmentOf'> = { environment: '', environmentOf: () => '' }

/** One push, ready to hand over. */
export type Push = {
  msgId: string
  /** Device token or endpoint. Never logged. */
  address: string
  /** The keys of a browser; null elsewhere. */
  keys: { p256dh: string; auth: string } | null
  /** The APNs environment that is asked first; null for the one of the credentials. */
  environment: Environment | null
  /** The request's JSON, as contracts/payload built it for the platform. */
  body: string
  collapseId: string | null
  silent: boolean
  priority: 'high' | 'normal'
  /** What is left of the ttl, in whole seconds; 0 means now or never. */
  ttlSeconds: number
  /** When the ttl ends, in Unix seconds by the database's clock: APNs is told an instant, and this machine's clock may be minutes off. */
  expiresAtSeconds: number
}

/** The fields of a check's push, all but its address and body. */
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

/** Hears what came of a push, once. An Error is a mistake of ours. It must not throw. */
export type Hear = (answer: Answer | Error) => void

/**
 * Hands pushes of one app to one provider. The caller decides how many are sent at once (`window.ts`). A transport repeats only what the provider surely did
 * not process. An answer is heard by a function and not by a promise: the eight promises of a push were a fifth of what it cost.
 */
export type Transport = {
  send(push: Push, hear: Hear): void
  /** Lets what is in flight end, then closes the connections. */
  close(): Promise<void>
}

/**
 * A connection to a provider that knows us by a token: to one environment of APNs for one app, or to FCM for one project. It makes the
 * request, sends it once and reads the answer. Tokens, environments and repeats are its caller's business.
 */
export type Line = {
  send(push: Push, token: string, hear: Hear): void
  /** Lets what is in flight end, then closes the connections. A push that comes later is answered `refused`. */
  close(): Promise<void>
}

/** Calls `hear` with the answer of a promise, or with an Error when it is rejected, which is a bug of Herald's. */
export const tell = (answer: Promise<Answer>, hear: Hear): void => void answer.then(hear, (error: unknown) => hear(asError(error)))

/** Gives what a push is answered as a promise, for what is rare. Rejects for a mistake of ours. */
export const answerOf = (send: (hear: Hear) => void): Promise<Answer> =>
  new Promise((resolve, reject) => send((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))))

/** No provider is waited for longer than this. After it the push may have been delivered, or not. */
export const answerLimitMs = 10_000
