import type { Answer, Environment } from '../core/answer.ts'

/** One push, ready to hand over. */
export type Push = {
  msgId: string
  /** Device token or endpoint. Never logged. */
  address: string
  /** Web only. */
  keys: { p256dh: string; auth: string } | null
  /** iOS: the environment that is asked first; null: the one of the credentials. */
  environment: Environment | null
  /** The request's JSON, as contracts/payload built it for the platform. */
  body: string
  collapseId: string | null
  silent: boolean
  priority: 'high' | 'normal'
  /** What is left of the ttl, whole seconds; 0: now or never. */
  ttlSeconds: number
  /** When the ttl ends, Unix seconds, by the database's clock: APNs is told an instant, and this machine's clock may be minutes off. */
  expiresAtSeconds: number
}

/**
 * Hands pushes of one app to one provider. How many are sent at once is the caller's business (window.ts); nothing is
 * repeated in here but what the provider surely did not process. Only our own mistakes throw.
 */
export type Transport = {
  send(push: Push): Promise<Answer>
  /** Lets what is in flight end, then closes the connections. */
  close(): Promise<void>
}

/** No provider is waited for longer than this; after it the push may or may not have been delivered. */
export const answerLimitMs = 10_000
