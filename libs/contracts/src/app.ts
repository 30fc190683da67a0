import type { Attribution, ConversionSettings } from './conversion.ts'
import type { Holdout } from './holdout.ts'
import type { Platform } from './platform.ts'

/**
 * An app's settings (spec: administration/settings). A send is fanned out with the settings that the app has when the first page is made; later
 * changes do not touch that send.
 */
export type AppSettings = {
  defaultTimezone: string
  frequencyCap: { max: number; windowSeconds: number } | null
  quietHours: { start: string; end: string; action: 'hold' | 'skip' } | null
  identityVerification: 'off' | 'required'
  attribution: Attribution
  conversions: ConversionSettings
  holdout: Holdout | null
  /** For how many days people find sends in their inbox. */
  inboxDays: number
  /** A send of the dashboard to more devices than this needs a second person (spec: administration/approval); null: none does. */
  approval: { devices: number } | null
  /** The app keeps at most this many pictures of messages. */
  mostPictures: number
}

export const defaultSettings: AppSettings = {
  defaultTimezone: 'UTC',
  frequencyCap: null,
  quietHours: null,
  identityVerification: 'off',
  attribution: { directHours: 24, influencedHours: 1 },
  conversions: { publicValues: false },
  holdout: null,
  inboxDays: 30,
  approval: null,
  mostPictures: 200,
}

/** An app, as the administration answers it. */
export type App = { id: string; name: string; settings: AppSettings; createdAt: string }

/**
 * Credentials of a provider as they travel between services. Secrets are sealed, and only the service that uses a secret opens it. The APNs private
 * key never leaves the gateway: the dispatcher asks the gateway for provider tokens instead.
 */
export type ProviderCredentials =
  | {
      kind: 'apns'
      version: number
      teamId: string
      keyId: string
      bundleId: string
      environment: 'production' | 'sandbox'
      /** Of credentials that are only being checked: with this id the gateway gives provider tokens of their key. */
      candidateId?: string
    }
  | {
      kind: 'fcm'
      version: number
      projectId: string
      clientEmail: string
      tokenUri: string
      sealedPrivateKey: string
      sealContext: string
    }
  | { kind: 'webpush'; version: number; subject: string; publicKey: string; sealedPrivateKey: string; sealContext: string }
export type ProviderKind = ProviderCredentials['kind']
export const providerKinds = ['apns', 'fcm', 'webpush'] as const

/** The provider that takes the pushes of a platform. */
export const providerOf: Record<Platform, ProviderKind> = { ios: 'apns', android: 'fcm', web: 'webpush' }
/** The platform whose pushes a provider takes. */
export const platformOf: Record<ProviderKind, Platform> = { apns: 'ios', fcm: 'android', webpush: 'web' }
