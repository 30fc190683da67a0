import type { ProviderKind } from '@herald/contracts/app'
import { apns, type ApnsSettings } from './apns.ts'
import { fcm, type FcmSettings } from './fcm.ts'
import type { Provider } from './provider.ts'
import { webPush, type WebPushSettings } from './web-push.ts'

/** The part of a provider's credentials that is not secret, as it is stored. */
export type ProviderSettings = ApnsSettings | FcmSettings | WebPushSettings

/** Every provider, by its kind. A new provider is a file beside these, and a line here (docs/add-a-provider.md). */
export const providers: Readonly<Record<ProviderKind, Provider<ProviderSettings, unknown>>> = { apns, fcm, webpush: webPush }
