import type { Kysely } from 'kysely'
import { rememberByApp, type AppMemory } from '../remember-by-app.ts'
import type { Tables } from '../store/tables.ts'
import { findProvider } from './store/providers.ts'

/**
 * Remembers the public VAPID keys that the apps' web pages subscribe with, because every page that starts may ask for one. Null for an app
 * without Web Push credentials, also for an app that does not exist.
 */
export type WebPushKeys = AppMemory<string | null>

export const openWebPushKeys = ({ db }: { db: Kysely<Tables> }, ttlSeconds: number): WebPushKeys =>
  rememberByApp(async (appId) => (await findProvider(db, appId, 'webpush'))?.settings.publicKey ?? null, ttlSeconds)
