import type { z } from 'zod'
import { wireVersion } from './wire-versions.ts'

/**
 * A call: core NATS request/reply in a queue group, never stored. The answering service checks the request against the schema; answers are not
 * checked. It may make calls itself, outside a transaction; those that answer these make none for them.
 */
export type Call<Request, Answer> = {
  readonly subject: `rpc.${AppName}.${string}`
  readonly request: z.ZodType<Request>
  /** The caller waits at most this many milliseconds in all. */
  readonly timeoutMs: number
  /** Carries the type of the answer for TypeScript. It never has a value. */
  readonly answer?: Answer
}

/** The six services. Each has a Postgres schema and role of its own, except the dispatcher, which stores nothing. */
export const apps = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks', 'dispatcher'] as const
export type AppName = (typeof apps)[number]
export const appsWithDatabase = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks'] as const
/**
 * The services in groups. All start together. They stop from the last group to the first: a dispatcher still sends its last outcomes to audience and
 * tracker. The gateway stops first, so that no new work comes in.
 */
export const startOrder: readonly (readonly AppName[])[] = [['tracker', 'webhooks'], ['audience'], ['campaigns', 'dispatcher'], ['gateway']]
export type AppWithDatabase = (typeof appsWithDatabase)[number]

/** Declares a call; the answer's type comes first because it cannot be inferred: `call<{ id: string }>()('rpc.…', Request)`. */
export const call =
  <Answer>() =>
  <Request>(subject: Call<Request, Answer>['subject'], request: z.ZodType<Request>, timeoutMs = 3000): Call<Request, Answer> => ({
    subject,
    request,
    timeoutMs,
  })

/** Gives the subject on which a call is sent. In version 1 it is the call's own subject; a later version is appended, such as `.v2`. */
export const wireSubject = ({ subject }: { readonly subject: string }): string => {
  const version = wireVersion(subject)
  return version === 1 ? subject : `${subject}.v${version}`
}

/** Gives the subject on which a service says which version of a call it answers. A service whose call no process answered asks there. */
export const versionsSubject = (app: string): string => `rpc.${app}.versions`

/**
 * A stored message: pointers with ids, or events. It never holds a token, a key or a text of a push. When a message does not fit its schema, the
 * reader terminates it and logs an error.
 */
export type StoredMessage<Body> = { readonly body: z.ZodType<Body> }

/**
 * A message to every process that listens, which NATS does not store. A process that misses a `changed.*` finds out a little later, for example when
 * its cache expires; a missed `live.*` is lost to it.
 */
export type Broadcast<Body> = { readonly subject: string; readonly body: z.ZodType<Body> }
