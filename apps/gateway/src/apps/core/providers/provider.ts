import type { ProviderCredentials } from '@herald/contracts/app'
import type { z } from 'zod'
import type { ShownPayload } from './shown-payload.ts'

/** The parts of a provider's credentials that are stored in the clear, and the private key, which is stored sealed. */
export type Credentials<Settings> = { settings: Settings; privateKey: string }

/** What `travelling` may give the dispatcher besides the settings. The private key of APNs is not given, because the gateway itself signs with it. */
export type Sealed = { version: number; sealedPrivateKey: string; sealContext: string }

/**
 * What the gateway knows about a provider. Each provider has a file in this folder, which exports a `Provider`; `providers.ts` lists them. `Settings`
 * is what is stored in the clear, `Body` what an operator gives.
 */
export type Provider<Settings extends { kind: ProviderCredentials['kind'] }, Body> = {
  readonly kind: Settings['kind']
  /** The name and the summary of the route that sets the credentials, and the schema of its body. */
  readonly route: { readonly name: string; readonly summary: string; readonly body: z.ZodType<Body> }
  /** The fields of the settings that the administration shows. */
  readonly shown: z.ZodObject
  /** The names of the shown fields that a line of the audit has: they say which account at the provider the credentials belong to. */
  readonly named: readonly string[]
  /** Makes the credentials that an operator's body stands for. `present` gives the app's stored credentials, if there are any. */
  credentialsOf(body: Body, present: () => Credentials<Settings> | undefined): Credentials<Settings>
  /** Makes the credentials as the dispatcher gets them. */
  travelling(settings: Settings, sealed: Sealed): ProviderCredentials
  /** Gives the name of the app's account at the provider, as the simulator knows it. */
  accountOf(settings: Settings): Record<string, string>
  /**
   * Says how an app gets an account at the simulated provider: `ask` is what the simulator is asked for, null when it needs to make nothing. `body`
   * makes an operator's body of the simulator's answer.
   */
  simulatedAccount(appId: string): { ask: Record<string, string> | null; body(made: unknown): Body }
  /** Reads what a virtual phone or browser shows of a payload, as a mobile app or a service worker would read it. */
  readPayload(payload: unknown): ShownPayload
  /** Gives a payload with only the end of the device's token. Missing when the provider's payloads do not contain the token. */
  withoutToken?(payload: unknown): unknown
}
