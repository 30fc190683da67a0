import { asError, type Answer, type Environment } from '../core/answer.ts'

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

/** Hears what came of a push, once. An Error is a mistake of ours. It must not throw. */
export type Hear = (answer: Answer | Error) => void

/**
 * Hands pushes of one app to one provider. How many are sent at once is the caller's business (window.ts); nothing is
 * repeated in here but what the provider surely did not process. An answer is heard by a function and not by a promise:
 * the eight promises of a push were a fifth of what it cost.
 */
export type Transport = {
  send(push: Push, hear: Hear): void
  /** Lets what is in flight end, then closes the connections. */
  close(): Promise<void>
}

/** Tells what a promise comes to; a rejection is a mistake of ours. */
export const tell = (answer: Promise<Answer>, hear: Hear): void => void answer.then(hear, (error: unknown) => hear(asError(error)))

/** What a push is answered, as a promise: for what is rare. Rejects for a mistake of ours. */
export const answerOf = (send: (hear: Hear) => void): Promise<Answer> =>
  new Promise((resolve, reject) => send((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))))

/** No provider is waited for longer than this; after it the push may or may not have been delivered. */
export const answerLimitMs = 10_000
