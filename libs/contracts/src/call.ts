import type { z } from 'zod'
import { wireVersion } from './wire-versions.ts'

/**
 * A call: core NATS request/reply in a queue group, never stored. The receiver checks each request against the schema. The body of an HTTP request travels
 * as its schema has changed it, and a second check by the same schema changes nothing more. The answer has a type and is not checked, because both ends
 * are ours and every answer with 500 recipients would pay for a check. A handler may call one other app, outside any transaction, and that app calls no third.
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

/** The subject of a call on the wire: its own in version 1; later versions are appended to it. */
export const wireSubject = ({ subject }: { readonly subject: string }): string => {
  const version = wireVersion(subject)
  return version === 1 ? subject : `${subject}.v${version}`
}

/** The subject at which an app says which version of a call it answers. An app whose call was answered by no process asks there. */
export const versionsSubject = (app: string): string => `rpc.${app}.versions`

/** A stored message. It holds ids, never tokens, keys or content. A message that breaks its schema is terminated with an error line. */
export type StoredMessage<Body> = { readonly body: z.ZodType<Body> }

/** A broadcast to every process, not stored, which says that something changed. A process that misses it sees the change when its cache expires. */
export type Broadcast<Body> = { readonly subject: string; readonly body: z.ZodType<Body> }
