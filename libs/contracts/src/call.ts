import type { z } from 'zod'
import { wireVersion } from './wire-versions.ts'

/**
 * A call: core NATS request/reply in a queue group, never stored. The receiver checks the request against its schema, whoever sent it. The
 * body of an HTTP request travels as its schema made it, and that schema takes what it made: nothing is changed by a second check.
 * The answer is typed only, because both ends are ours and a 500-recipient answer would pay for a check on every batch.
 * A handler may make one call to another app, outside any transaction, never two deep.
 */
export type Call<Request, Answer> = {
  readonly subject: `rpc.${AppName}.${string}`
  readonly request: z.ZodType<Request>
  /** How long the caller waits in all, milliseconds. */
  readonly timeoutMs: number
  /** Only carries the type of the answer; never set. */
  readonly answer?: Answer
}

/** The apps that answer calls or carry messages. Each has its own Postgres schema and role, but for the dispatcher, which owns nothing. */
export const apps = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks', 'dispatcher'] as const
export type AppName = (typeof apps)[number]
export const appsWithDatabase = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks'] as const
export type AppWithDatabase = (typeof appsWithDatabase)[number]

/** Declares a call; the answer's type comes first because it cannot be inferred: `call<{ id: string }>()('rpc.…', Request)`. */
export const call =
  <Answer>() =>
  <Request>(subject: Call<Request, Answer>['subject'], request: z.ZodType<Request>, timeoutMs = 3000): Call<Request, Answer> => ({
    subject,
    request,
    timeoutMs,
  })

/** The subject that a call is asked and answered at: its own in version 1, else with the version behind it. */
export const wireSubject = ({ subject }: { readonly subject: string }): string => {
  const version = wireVersion(subject)
  return version === 1 ? subject : `${subject}.v${version}`
}

/** Where an app says which versions of a call it speaks, to whoever found nobody that speaks his own. */
export const versionsSubject = (app: string): string => `rpc.${app}.versions`

/** A stored message: holds ids, never tokens, keys or content. One that breaks its schema is terminated with an error line. */
export type StoredMessage<Body> = { readonly body: z.ZodType<Body> }

/** A broadcast to every process, not stored: a hint that something changed. Who misses it falls back on its cache's time to live. */
export type Broadcast<Body> = { readonly subject: string; readonly body: z.ZodType<Body> }
