import { z } from 'zod'
import { providerKinds, type App, type ProviderCredentials } from '../app.ts'
import { call, type Broadcast } from '../call.ts'

const Id = z.string().length(24)

/** An app with its settings, or null when there is none (any more). */
export const readApp = call<{ app: App | null }>()('rpc.gateway.read-app', z.object({ appId: Id }))

/** A provider's credentials, with sealed secrets. Null when the provider is not configured. */
export const readCredentials = call<{ credentials: ProviderCredentials | null }>()(
  'rpc.gateway.read-credentials',
  z.object({ appId: Id, kind: z.enum(providerKinds) }),
)

/**
 * The APNs provider token of an app's team and key. All dispatchers share one: it is minted under its row's lock and kept
 * 20 to 50 minutes. `refused`: a token that APNs called expired; a fresh one is minted if that one is older than 20 minutes.
 */
export const apnsToken = call<{ token: string; mintedAt: string } | null>()(
  'rpc.gateway.apns-token',
  z.object({ appId: Id, refused: z.string().nullable() }),
)

/**
 * Makes the streams and consumers that are missing, and answers when they are there. Every other app calls it when it finds one missing:
 * at the first start, and when NATS has lost its store. It needs no database.
 */
export const makeStreams = call<Record<string, never>>()('rpc.gateway.make-streams', z.object({}))

/** Told to every process when an app, its settings or its credentials change: caches forget it at once. */
export const appChanged: Broadcast<{ appId: string }> = { subject: 'changed.app', body: z.object({ appId: Id }) }

/** Told to every gateway when a key is revoked, so that it stops working within 2 s. */
export const keyRevoked: Broadcast<{ keyId: string }> = { subject: 'changed.key', body: z.object({ keyId: Id }) }

/** Told to every gateway when a session of the dashboard ends before its time, so that its cookie opens nothing any more. */
export const sessionEnded: Broadcast<{ sessionId: string }> = { subject: 'changed.session', body: z.object({ sessionId: Id }) }
