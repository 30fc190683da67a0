import type { KeyKind, Scope } from '@herald/contracts/administration'
import type { FaultCode } from '@herald/contracts/fault'
import type { Idempotency } from '@herald/contracts/calls/campaigns'
import type { z } from 'zod'
import type { NoteExport } from '../audit/audit-export.ts'
import type { AuditAction, Subject } from '../audit/core/audit.ts'
import type { Gateway } from '../gateway.ts'
import type { SignedIn } from '../session/sessions.ts'
import type { From } from '../session/sign-in.ts'
import type { Note } from '../audit/store/audit.ts'
import type { Upload } from '../people/http/upload.ts'

/**
 * Who may call: `public` takes both kinds of API key, `admin` the administration token or a session's cookie, `none` anybody. `sign-in` is for whoever wants to begin a session: the door
 * is the answer's, here only another site's page is refused.
 */
export type Access = 'secret' | 'public' | 'admin' | 'sign-in' | 'none'
/**
 * `subscribe` and `event` count by client address, `send` by key, `sends` too, each item of the request by itself (`countSend`). `identity` counts a public key's requests by client address and by device. Every
 * other request with a key counts in `API_RATE_LIMIT`.
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
 * What a change is called in the audit, when an administrator makes it. `own`: the gateway's own, whose transaction writes the line (`note`).
 * `elsewhere`: another app makes it, and the line is written around that (audit-elsewhere.ts); it names the ids of the path and of the answer,
 * and what `subject` adds. `export`: it reads, and what it says leaves the house; the line is written when that has ended, with how much it was (`noteExport`). `nothing`: it only looks, though its method is not GET: a preview, a count that is
 * remembered, a ping.
 */
export type Audited =
  | 'nothing'
  | { action: AuditAction; change: 'own' }
  | {
      action: AuditAction
      change: 'elsewhere'
      subject: (of: { id: string | undefined; answered: string | undefined }) => Subject
      /** Where the body decides what the change is called. */
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

/** A request as its answer sees it: everything about it has been checked. */
export type Asked<Param extends string, Body, Query> = {
  /** The key's app; on the administration surface the path's. */
  appId: string
  keyKind: KeyKind
  /** Whether the key may do more than the route asks for; an administrator may do all. */
  holds: (scope: Scope) => boolean
  params: Record<Param, string>
  /** What stands in the place of `*rest`, part by part, decoded. */
  rest: readonly string[]
  body: Body
  query: Query
  /** For an idempotent route: the caller's key and what it stands for. */
  idempotency: z.infer<typeof Idempotency>
  header: (name: string) => string | undefined
  /** Who asks, as the audit names them. */
  actor: string
  /** Of a request with a session's cookie. */
  session: SignedIn | undefined
  /** Where the request comes from, for the door and the audit. Asked for by few routes, so it is made when it is. */
  visitor: () => From
  /** Counts one more send of the key; throws the Fault `rate_limited`. For a route with the limit `sends`. */
  countSend: () => void
  /** The body of a route that `takes` a file. */
  upload: Upload
  /** For a change of the gateway's own that the route declares (`audit`). */
  note: Note
  /** For an export that the route declares (`audit`): its portions, with their line. */
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
  /** Absent: the request's body is not looked at. */
  body?: z.ZodType<Body>
  /** Takes a body that is no JSON and of any length, as it comes: its media types. */
  takes?: readonly string[]
  /** What the OpenAPI document says of the body, where `body` leaves its items to be checked one by one. */
  shownBody?: z.ZodType
  /** Absent: no query is taken. That of a route without a key refuses nothing. */
  query?: z.ZodType<Query>
  /** Params that are not object ids. One that should be an id and is not is unknown: 404. */
  texts?: readonly Param[]
  /** Takes the header Idempotency-Key: for the request, or for what its items make of it. */
  idempotent?: boolean | 'items'
  /** What the audit says when an administrator does this: every route of theirs declares it, unless it is a GET that exports nothing. */
  audit?: Audited
  /** Takes the header x-identity-token, from public keys. */
  identified?: boolean
  /** Pages of any origin may call, as they may every route that takes a public key. */
  anyOrigin?: boolean
  /** Answers also while the database is away. */
  withoutDatabase?: boolean
  /** Made of parts that end by themselves: when the database goes away midway, those that are not done say so and the request goes on. */
  inParts?: boolean
  /** The status of a success. */
  status: number
  summary: string
  description?: string
  /** What a success says, for the OpenAPI document. Every route has it that answers JSON. */
  answers?: z.ZodType
  /** What a success says that has another status, by status. */
  alsoAnswers?: Readonly<Record<number, z.ZodType>>
  /** What else than JSON a success is. */
  mediaType?: string
  /** Faults beyond those that follow from key, limit, body and params. */
  faults?: readonly FaultCode[]
  /** Answers the body of a success, or a Reply when there is more to say; throws a Fault. */
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
