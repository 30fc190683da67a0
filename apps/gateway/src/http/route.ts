import type { AdminScope, KeyKind, Scope } from '@herald/contracts/administration'
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
 * Who may call a route. `secret`: a secret API key. `public`: either kind. `admin`: the administration token, a session's cookie or an
 * administration key. `none`: anybody.
 * `sign-in`: a visitor, but not from another site's page; the route checks the token.
 */
type Access = 'secret' | 'public' | 'admin' | 'sign-in' | 'none'
/**
 * What an administration key needs for a route (spec: administration/admin-key-scopes). `any`: nothing more. `platform`: no key is enough, only the
 * administration token or a session that began with it.
 */
export type AdminAccess = AdminScope | 'any' | 'platform'
/** Who may call a route and with which scope. No route of the administration can be written without one. */
type Opened = { key: 'admin'; scope: AdminAccess } | { key: Exclude<Access, 'admin'>; scope?: Scope }
/**
 * Which rate limit counts a request. `subscribe`, `event`: by client address. `send`, `sends`: by key, `sends` for each item of a batch. `identity`:
 * with a public key by client address and device. Others with a key: `API_RATE_LIMIT`.
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

/** How the audit records a request to the administration. */
export type Audited =
  // A route that is no GET and yet gets no line: a preview, a remembered count, a ping, a part of an import's file, a command to the simulator.
  | 'nothing'
  // The gateway changes its own tables, and the transaction writes the line (`note`).
  // With `isAutosave` an actor's saves of one thing within ten minutes leave one line.
  | { action: AuditAction; change: 'own'; isAutosave?: boolean }
  | {
      // Another service makes the change, and write-audit.ts writes the line around the call. `subject` makes the line's subject of the ids in the
      // path and in the answer.
      action: AuditAction
      change: 'elsewhere'
      subject: (of: { id: string | undefined; answered: string | undefined }) => Subject
      /** Gives the name of the change, which may depend on the body. */
      actionOf: (body: unknown) => AuditAction
      /** Gives the name of a change that the answer tells, in place of that of `actionOf`. */
      answeredAs: (answer: unknown) => AuditAction | undefined
      /** The dashboard saves it by itself while somebody writes: an actor's saves of one thing within ten minutes leave one line. */
      isAutosave: boolean
    }
  // The answer takes data out of Herald. The line is written at its end and says how much it was (`noteExport`).
  | { action: AuditAction; change: 'export' }

export const own = (action: AuditAction): Audited => ({ action, change: 'own' })
export const elsewhere = (
  action: AuditAction,
  subject: (of: { id: string | undefined; answered: string | undefined }) => Subject = ({ id, answered }) => ({ id: id ?? answered }),
  actionOf: (body: unknown) => AuditAction = () => action,
  answeredAs: (answer: unknown) => AuditAction | undefined = () => undefined,
): Audited => ({ action, change: 'elsewhere', subject, actionOf, answeredAs, isAutosave: false })

export const autosaved = (action: AuditAction): Audited => {
  const subject = ({ id }: { id: string | undefined }) => ({ id })
  return { action, change: 'elsewhere', subject, actionOf: () => action, answeredAs: () => undefined, isAutosave: true }
}

export const exporting = (action: AuditAction): Audited => ({ action, change: 'export' })

/** A request as a route's `answer` gets it, after all checks. */
export type Asked<Param extends string, Body, Query> = {
  /** The app that the API key belongs to; in the administration the app that the path names. Empty when there is none. */
  appId: string
  keyKind: KeyKind
  /** Whether the key has this scope, which need not be the one that the route asks for. The administration token has every scope. */
  holds: (scope: Scope | AdminScope) => boolean
  /** The app of the administration key that the request came with, or that its session began with; undefined without such a key. */
  onlyApp: string | undefined
  params: Record<Param, string>
  /** The parts of the path that stand for `*rest`, after %-decoding. */
  rest: readonly string[]
  body: Body
  query: Query
  /** The client's idempotency key and the fingerprint of the request, on an idempotent route; null without a key. */
  idempotency: z.infer<typeof Idempotency>
  header: (name: string) => string | undefined
  /** The name of the operator, for the audit. */
  actor: string
  /** The administration key of the request or of its session; undefined without one. */
  adminKeyId: string | undefined
  /** The session of the request, when it came with a session's cookie. */
  session: SignedIn | undefined
  /** Gives the client's address and browser, for signing in and for the audit. A function, because few routes need them. */
  visitor: () => From
  /** Counts one more send of the key, on a route with the limit `sends`; throws the Fault `rate_limited`. */
  countSend: () => void | Promise<void>
  /** The uploaded file, on a route that `takes` one. */
  upload: Upload
  /** Writes the audit's line for a change of the gateway's own tables, on a route that declares one (`audit`). */
  note: Note
  /** Wraps the portions of an export so that the audit gets a line, on a route that declares one (`audit`). */
  noteExport: NoteExport
}

export type Route<Param extends string = string, Body = unknown, Query = unknown> = Opened & {
  /** The operation's name in the OpenAPI document, and so in generated clients. */
  name: string
  method: Method
  path: string
  /** A second scope that an API key needs, on a route that shows personal data of a campaign's users. */
  alsoScope?: Scope
  limit?: Limit
  /** The schema of a JSON body. A route with neither `body` nor `takes` does not read the body. */
  body?: z.ZodType<Body>
  /** The media types of a file that may be sent as the body. The file may have any length and is read as it arrives. */
  takes?: readonly string[]
  /** The schema of the body in the OpenAPI document, on a route whose `body` leaves the items to be checked one by one. */
  shownBody?: z.ZodType
  /**
   * The schema of the query. A route without a schema refuses any query. A route that anybody may call ignores it instead, and if such a route has a
   * schema, the schema must accept anything.
   */
  query?: z.ZodType<Query>
  /** The parameters of the path that are not object ids. When another parameter is no object id, the answer is 404. */
  texts?: readonly Param[]
  /** The route takes the header Idempotency-Key: `true` for the whole request, `items` for each item of a batch. */
  idempotent?: boolean | 'items'
  /** How the audit records the request. Every administration route has it, except a GET that exports nothing. */
  audit?: Audited
  /** The route takes the header x-identity-token with a public key. */
  identified?: boolean
  /** Pages of any origin may call the route, as they may call every route that takes a public key. */
  anyOrigin?: boolean
  /** The route answers also while the database is away. */
  withoutDatabase?: boolean
  /**
   * The answer consists of independent parts. When the database goes away midway, each part that is not done says so, and the others are answered.
   */
  inParts?: boolean
  /** The status of a success. */
  status: number
  summary: string
  description?: string
  /** The shape of a success that is JSON, for the OpenAPI document. */
  answers?: z.ZodType
  /** The shapes of answers with another status of success, by status. */
  alsoAnswers?: Readonly<Record<number, z.ZodType>>
  /** The media type of a success that is not JSON, or that is JSON without a shape. */
  mediaType?: string
  /** The faults that do not follow from the route's other fields (`faultsOf` in openapi.ts). */
  faults?: readonly FaultCode[]
  /** Gives the body of a success, a Reply with a status or headers of its own, or a stream; throws a Fault. */
  answer(gateway: Gateway, asked: Asked<Param, Body, Query>): Promise<unknown>
}

/**
 * Gives how many bytes the body of a route may have (spec: limits/body-size). A large notification, with 1,000 external ids of 128 letters and 64 KiB
 * of content, has less than 200 KiB.
 */
export function largestBodyOf({ key }: Pick<Route, 'key'>): number {
  if (key === 'sign-in') return 4_096
  if (key === 'none') return 1_024
  return key === 'public' ? 32_768 : 524_288
}

/** Declares a route. The server and the OpenAPI document are both made from these values. */
export const route = <const Path extends string, Body = undefined, Query = Record<string, never>>(
  it: Route<ParamsOf<Path>, Body, Query> & { path: Path },
): Route => it
