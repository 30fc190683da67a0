import { z } from 'zod'
import { providerKinds, type App, type ProviderCredentials } from '../app.ts'
import { call, type Broadcast } from '../call.ts'
import { Id } from '../text.ts'

/** Reads an app with its settings. Null when there is no such app, or it was deleted. */
export const readApp = call<{ app: App | null }>()('rpc.gateway.read-app', z.object({ appId: Id }))

/**
 * Reads a provider's credentials, in which the secrets are sealed. Null when the app has not configured the provider. With `candidateId` those that the
 * provider is to be asked about before they replace the present ones.
 */
export const readCredentials = call<{ credentials: ProviderCredentials | null }>()(
  'rpc.gateway.read-credentials',
  z.object({ appId: Id, kind: z.enum(providerKinds), candidateId: Id.optional() }),
)

/**
 * Gives the APNs provider token of an app's key, for all dispatchers; null without credentials. Replaced after 50 minutes, or when no SEAL_KEYS opens
 * it. `refused`: one that APNs called expired, replaced when 20 minutes old. `candidateId`: see `readCredentials`.
 */
export const apnsToken = call<{ token: string; mintedAt: string } | null>()(
  'rpc.gateway.apns-token',
  z.object({ appId: Id, refused: z.string().nullable(), candidateId: Id.optional() }),
)

/**
 * Makes missing streams and consumers, sets back those that differ from topology.ts, and answers when all exist. Other services call it when one is
 * missing: at the first start, and when NATS has lost its store.
 */
export const makeStreams = call<Record<string, never>>()('rpc.gateway.make-streams', z.object({}))

/**
 * Tells gateways, audience and dispatchers that an app, its settings or its credentials have changed, so that they drop the app from their caches.
 */
export const appChanged: Broadcast<{ appId: string }> = { subject: 'changed.app', body: z.object({ appId: Id }) }

/** Tells every gateway that a key is revoked, so that the key stops working within 2 s. */
export const keyRevoked: Broadcast<{ keyId: string }> = { subject: 'changed.key', body: z.object({ keyId: Id }) }

/** Tells every gateway that a dashboard session was ended early, so that its cookie stops working. */
export const sessionEnded: Broadcast<{ sessionId: string }> = { subject: 'changed.session', body: z.object({ sessionId: Id }) }
