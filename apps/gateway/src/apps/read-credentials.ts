import type { ProviderCredentials, ProviderKind } from '@herald/contracts/app'
import type { Kysely } from 'kysely'
import { providerContext } from './core/seal-context.ts'
import { rememberByApp, type AppMemory } from '../remember-by-app.ts'
import type { Tables } from '../store/tables.ts'
import { findProvider } from './store/providers.ts'

/**
 * Reads an app's credentials for the dispatcher, with their secrets sealed; null when none are set. The APNs private key is left out, because only
 * the gateway signs with it.
 */
export async function readCredentials(
  { db }: { db: Kysely<Tables> },
  { appId, kind }: { appId: string; kind: ProviderKind },
): Promise<ProviderCredentials | null> {
  const provider = await findProvider(db, appId, kind)
  if (!provider) return null
  const { settings, version, sealedPrivateKey } = provider
  if (settings.kind === 'apns') {
    const { keyFingerprint: _, ...shown } = settings
    return { ...shown, version }
  }
  return { ...settings, version, sealedPrivateKey, sealContext: providerContext(appId, kind) }
}

/**
 * Remembers the public VAPID keys that the apps' web pages subscribe with, because every page that starts may ask for one. Null while an app has no
 * Web Push credentials.
 */
export type WebPushKeys = AppMemory<string | null>

export const openWebPushKeys = ({ db }: { db: Kysely<Tables> }, ttlSeconds: number): WebPushKeys =>
  rememberByApp(async (appId) => (await findProvider(db, appId, 'webpush'))?.settings.publicKey ?? null, ttlSeconds)
