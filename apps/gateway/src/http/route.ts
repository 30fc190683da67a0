import type { KeyKind, Scope } from '@herald/contracts/administration'
import type { FaultCode } from '@herald/contracts/fault'
import type { Idempotency } from '@herald/contracts/calls/campaigns'
import type { z } from 'zod'
import type { NoteExport } from '../write-audit.ts'
import type { AuditAction, Subject } from '../core/audit.ts'
import type { Gateway } from '../gateway.ts'
import type { From, SignedIn } from '../core/session-door.ts'
import type { Note } from '../store/audit.ts'
import type { Upload } from './upload.ts'

/**
 * Who may call. `public`: both kinds of API key. `admin`: the administration token or a session's cookie. `none`: anybody. `sign-in`: a visitor
 * who wants to begin a session; the route itself checks the token, and before it only requests from another site's pages are refused.
 */
export type Access = 'secret' | 'public' | 'admin' | 'sign-in' | 'none'
/**
 * Which rate limit counts a request. `subscribe` and `event` count by client address, `send` by key; `sends` counts each item of a batch
 * (`countSend`). `identity` counts a public key's requests by client address and by device. Every other request with a key counts in
 * `API_RATE_LIMIT`.
 */
export type Limit = 'subscribe' | 'event' | 'send' | 'sends' | 'identity'
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type ParamsOf<Path extends string> = string extends Path
  ? string
  : Path extends `${string}:${infer Name}/${infer Rest}`
    ? Name | ParamsOf<`/${Rest}`>
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

/**
 * How the audit records what a route does for an administrator. `own`: the gateway changes its own tables, and the transaction writes the line
 * (`note`). `elsewhere`: another app makes the change, and the line is written around the call (write-audit.ts); it has the ids of the path and of
 * the answer, and what `subject` adds. `export`: the answer takes data out of Herald; the line is written at its end, with how much it was
 * (`noteExport`). `nothing`: the route only reads although its method is not GET: a preview, a count that is remembered, a ping.
 */
export type Audited =
  | 'nothing'
  | { action: AuditAction; change: 'own' }
  | {
      action: AuditAction
      change: 'elsewhere'
      subject: (of: { id: string | undefined; answered: string | undefined }) => Subject
      /** What the change is called: the body may decide it. */
      actionOf: (body: unknown) => AuditAction
    }
  | { action: AuditAction; change: 'export' }

export const own = (action: AuditAction): Audited => ({ action, change: 'own' })
export const elsewhere = (
  action: AuditAction,
  subject: (of: { id: string | undefined; answered: string | undefined }) => Subject = ({ id, answered }) => ({ id: id ?? answered }),
  actionOf: (body: unknown) => AuditAction = () => action,
): Audited => ({ action, change: 'elsewhere', subject, actionOf })

export const exporting = (action: AuditAction): Audited => ({ action, change: 'export' })

/** A request as a route's `answer` gets it, with everything checked. */
export type Asked<Param extends string, Body, Query> = {
  /** The app of the API key; in the administration the app of the path. */
  appId: string
  keyKind: KeyKind
  /** Whether the key has a scope beyond the one that the route asks for; an administrator has every scope. */
  holds: (scope: Scope) => boolean
  params: Record<Param, string>
  /** The parts of the path in the place of `*rest`, decoded. */
  rest: readonly string[]
  body: Body
  query: Query
  /** The caller's idempotency key and the fingerprint of the request, on an idempotent route; null without a key. */
  idempotency: z.infer<typeof Idempotency>
  header: (name: string) => string | undefined
  /** The caller's name in the audit. */
  actor: string
  /** The session of a request that came with a session's cookie. */
  session: SignedIn | undefined
  /** Address and browser of the caller, for signing in and for the audit. A function, because few routes need them. */
  visitor: () => From
  /** Counts one more send of the key, on a route with the limit `sends`; throws the Fault `rate_limited`. */
  countSend: () => void
  /** The file, on a route that `takes` one. */
  upload: Upload
  /** Writes the audit's line for a change of the gateway's own tables, on a route that declares one (`audit`). */
  note: Note
  /** Wraps the portions of an export so that the audit has a line, on a route that declares one (`audit`). */
  noteExport: NoteExport
}

export type Route<Param extends string = string, Body = unknown, Query = unknown> = {
  /** The operation's name in the OpenAPI document, and so in generated clients. */
  name: string
  method: Method
  path: string
  key: Access
  scope?: Scope
  limit?: Limit
  /** Without it the request's body is not read. */
  body?: z.ZodType<Body>
  /** The media types of a body that is no JSON and may be of any length: it is read as it comes. */
  takes?: readonly string[]
  /** The body in the OpenAPI document, where `body` leaves its items to be checked one by one. */
  shownBody?: z.ZodType
  /** Without it no query is accepted. The schema of a route without a key must accept anything. */
  query?: z.ZodType<Query>
  /** Parameters of the path that are not object ids. Where any other parameter is no id, the answer is 404. */
  texts?: readonly Param[]
  /** Takes the header Idempotency-Key: `true` for the whole request, `items` for each item of a batch. */
  idempotent?: boolean | 'items'
  /** How the audit records it. Every administration route says it, but for a GET that exports nothing. */
  audit?: Audited
  /** Takes the header x-identity-token, from public keys. */
  identified?: boolean
  /** Pages of any origin may call it, as they may call every route that takes a public key. */
  anyOrigin?: boolean
  /** Answers also while the database is away. */
  withoutDatabase?: boolean
  /** The answer consists of independent parts: when the database goes away midway, the parts not yet done say so and the request goes on. */
  inParts?: boolean
  /** The status of a success. */
  status: number
  summary: string
  description?: string
  /** The shape of a success, for the OpenAPI document. Every route that answers JSON has it. */
  answers?: z.ZodType
  /** The shapes of successes with another status, by status. */
  alsoAnswers?: Readonly<Record<number, z.ZodType>>
  /** The media type of a success that is not JSON, or JSON without a shape. */
  mediaType?: string
  /** Faults beyond those that follow from key, limit, body and params. */
  faults?: readonly FaultCode[]
  /** Gives the body of a success, or a Reply with a status or headers of its own; throws a Fault. */
  answer(gateway: Gateway, asked: Asked<Param, Body, Query>): Promise<unknown>
}

/** Declares a route: its values are what the server does and what the OpenAPI document says. */
export const route = <const Path extends string, Body = undefined, Query = Record<string, never>>(
  it: Route<ParamsOf<Path>, Body, Query> & { path: Path },
): Route => it

/** An answer with a status or headers of its own. A text is JSON already. */
export class Reply {
  readonly body: unknown
  readonly status: number | undefined
  readonly headers: Record<string, string>

  constructor(body: unknown, { status, headers = {} }: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

/** The answer of an idempotent route. A replay has the body of the first answer, and a header that says so (spec: limits/idempotency-replay). */
export const replayed = ({ replayed: isReplay, ...answer }: { replayed: boolean }): Reply =>
  new Reply(answer, { headers: replayedHeaders(isReplay) })

export const replayedHeaders = (isReplay: boolean): Record<string, string> => (isReplay ? { 'Idempotent-Replayed': 'true' } : {})
