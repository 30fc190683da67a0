import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import { notFound } from '@herald/contracts/fault'
import { isObjectId } from '@herald/contracts/ids'
import { parseBody } from '@herald/contracts/validate'
import { z } from 'zod'
import { auditElsewhere, auditExport, type NoteExport } from '../write-audit.ts'
import type { AdminKeys, ApiKeys } from '../authenticate.ts'
import type { VerifiedAdminKey, VerifiedKey } from '../core/verified-key.ts'
import { actorOf, actorOfKey, type By } from '../core/audit.ts'
import type { SignedIn } from '../core/session-door.ts'
import { checkIdempotencyKey, fingerprintOf } from '../core/idempotency.ts'
import type { Gateway } from '../gateway.ts'
import { insertAudit, insertAutosave, writeAutosave, writeIntent, type Note } from '../store/audit.ts'
import { readJson } from './body.ts'
import type { BodyBudget } from './body-budget.ts'
import { checkAdministrator, checkAdminScope, checkOwnPage, checkScopes, keyOf } from './credentials.ts'
import { EventStream, whileSignedIn } from './event-stream.ts'
import { headerOf } from './headers.ts'
import type { Limits } from './limits.ts'
import { Reply } from './reply.ts'
import { largestBodyOf, type Asked, type Route } from './route.ts'
import { openUpload, type Upload } from './upload.ts'

/** A request whose path matched a route, with the values of the path's parameters. */
export type Routed = IncomingMessage & { params: Record<string, string | string[]> }

/** What decides whether a request may pass, beside the sessions of `Gateway`: keys, rate limits and the administration token. */
export type Door = {
  readonly keys: ApiKeys
  readonly adminKeys: AdminKeys
  readonly limits: Limits
  readonly bodies: BodyBudget
  /** Undefined when no administration token is set or it is too short: then there is no administration API. */
  readonly adminToken: string | undefined
}

/**
 * Answers one request. It checks in this order (spec: limits/order-of-checks): the client address's limit, the key, its scope, the key's limit, the
 * body, and last what the route looks up. Throws a Fault where a check fails.
 */
export async function answerRoute(route: Route, request: Routed, response: ServerResponse, gateway: Gateway, door: Door): Promise<unknown> {
  await door.limits.countAddress(route, request, response)
  if (route.key === 'sign-in') gateway.signIn.checkAddress(door.limits.bucketOf(request))
  const { key, session, adminKey } = await (route.inParts
    ? gateway.watch.guard(() => findCaller(route, request, gateway, door))
    : findCaller(route, request, gateway, door))
  if (key) {
    lineOf(response).appId = key.appId
    const { id: deviceId } = request.params
    await door.limits.countKey(route, { key, deviceId: typeof deviceId === 'string' ? deviceId : undefined }, response)
  }

  const upload = route.takes ? openUpload(request, response, route.takes) : noUpload
  // Many devices share a public key, and they must not refuse each other's bodies.
  const owner = () =>
    key?.kind === 'secret'
      ? { name: key.keyId, isStranger: false }
      : { name: door.limits.bucketOf(request), isStranger: route.key !== 'admin' }
  const json = route.body ? await readJson(request, { most: largestBodyOf(route), budget: door.bodies, owner }) : undefined
  const idempotencyKey = route.idempotent === true ? checkIdempotencyKey(headerOf(request, 'idempotency-key')) : null
  const body = route.body ? parseBody(route.body, json) : undefined
  const query = queryOf(route, request)
  const by = {
    actor:
      session?.name ??
      (adminKey && actorOfKey(adminKey.name)) ??
      actorOf(route.key === 'admin' ? headerOf(request, 'x-admin-actor') : undefined),
    requestId: lineOf(response).requestId,
  }
  const params = paramsOf(route, request)
  const appId = key?.appId ?? params['appId'] ?? ''
  if (appId !== '') lineOf(response).appId = appId

  const asked: Asked<string, unknown, unknown> = {
    appId,
    keyKind: key?.kind ?? 'public',
    holds: (scope) => {
      const held: ReadonlySet<string> | undefined = (key ?? adminKey)?.scopes
      return held ? held.has(scope) : route.key === 'admin'
    },
    onlyApp: adminKey?.appId,
    params,
    rest: restOf(request),
    body,
    query,
    idempotency:
      idempotencyKey === null
        ? null
        : { key: idempotencyKey, fingerprint: fingerprintOf(request.method ?? '', partsOf(request).path, json) },
    header: (name) => headerOf(request, name),
    actor: by.actor,
    adminKeyId: adminKey?.keyId,
    session,
    visitor: () => ({
      address: door.limits.bucketOf(request),
      browser: (headerOf(request, 'user-agent') ?? '').slice(0, longestBrowser),
      requestId: by.requestId,
    }),
    countSend: () => (key ? door.limits.countSend(key, response) : undefined),
    upload,
    note: noteOf(route, by),
    noteExport: noteExportOf(route, gateway, by),
  }
  const answer = await (route.key === 'admin' ? answerAdministrator(route, gateway, asked, by) : route.answer(gateway, asked))
  return session && answer instanceof EventStream ? whileSignedIn(answer, () => gateway.sessions.lasts(session.id)) : answer
}

const noteOf =
  ({ name, audit }: Route, by: By): Note =>
  async (trx, appId, subject) => {
    if (typeof audit !== 'object' || audit.change !== 'own') throw new Error(`${name} declares no change of the gateway's own`)
    const insert = audit.isAutosave === true ? insertAutosave : insertAudit
    await insert(trx, { ...by, appId, action: audit.action, subject })
  }

const noteExportOf =
  ({ name, audit }: Route, gateway: Gateway, by: By): NoteExport =>
  (appId, subject, portions) => {
    if (typeof audit !== 'object' || audit.change !== 'export') throw new Error(`${name} declares no export`)
    return auditExport(gateway, { ...by, appId, action: audit.action, subject }, portions)
  }

function answerAdministrator(route: Route, gateway: Gateway, asked: Asked<string, unknown, unknown>, by: By): Promise<unknown> {
  const { audit } = route
  if (typeof audit !== 'object' || audit.change !== 'elsewhere') return route.answer(gateway, asked)
  const { appId, params } = asked
  const subjectWith = (answered: string | undefined) => audit.subject({ id: params['id'], answered })
  const line = { ...by, appId, action: audit.actionOf(asked.body), subject: subjectWith(undefined) }
  return auditElsewhere(
    gateway,
    line,
    () => route.answer(gateway, asked),
    // The replay of an idempotent request has changed nothing, so it gets no audit line.
    (answer) =>
      answer instanceof Reply && 'Idempotent-Replayed' in answer.headers
        ? undefined
        : { action: audit.answeredAs(answer) ?? line.action, subject: subjectWith(idOf(answer)) },
    audit.isAutosave ? writeAutosave : writeIntent,
  )
}

function idOf(answer: unknown): string | undefined {
  const said = answer instanceof Reply ? answer.body : answer
  return typeof said === 'object' && said !== null && 'id' in said && typeof said.id === 'string' ? said.id : undefined
}

/**
 * What a request has proved. `key`: for API keys. `session`: by a session's cookie. `adminKey`: by an administration key, or in a session of one.
 * None: the administration token, a sign-in, or a route that anybody may call.
 */
type Caller = { key?: VerifiedKey; session?: SignedIn | undefined; adminKey?: VerifiedAdminKey | undefined }

async function findCaller(
  route: Route,
  request: Routed,
  { sessions, installed: { baseUrl } }: Gateway,
  { keys, adminKeys, adminToken: token }: Door,
): Promise<Caller> {
  if (route.key === 'none') return {}
  if (route.key === 'admin' || route.key === 'sign-in') {
    if (token === undefined) throw notFound()
    if (route.key === 'admin') {
      const caller = await checkAdministrator(request, { token, adminKeys, sessions, baseUrl })
      if (caller.adminKey) checkAdminScope(caller.adminKey, route.scope, paramsOf(route, request)['appId'])
      return caller
    }
    checkOwnPage(request, baseUrl)
    return {}
  }
  const key = await keyOf(request, keys)
  checkScopes(key, route)
  return { key }
}

/** At most this many characters of a browser's User-Agent are stored with its session. */
const longestBrowser = 200

const noUpload: Upload = { mediaType: '', async *parts() {} }

const noQuery = z.strictObject({})

/**
 * Reads the query. Unknown names are refused like unknown fields of a body. A route that anybody may call ignores them, because the devices that call
 * it would not read a refusal.
 */
function queryOf(route: Route, request: IncomingMessage): unknown {
  const { query } = partsOf(request)
  if (route.key === 'none' && (query === '' || !route.query)) return {}
  const given = { ...parseQuery(query) }
  // `parseBody` refuses this name before the schema sees it.
  if (route.key === 'none') delete given['__proto__']
  return query === '' && !route.query ? {} : parseBody(route.query ?? noQuery, given)
}

function partsOf({ url = '' }: IncomingMessage): { path: string; query: string } {
  const mark = url.indexOf('?')
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
}

function restOf({ params: { rest } }: Routed): string[] {
  return Array.isArray(rest) ? rest : []
}

function paramsOf(route: Route, request: Routed): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.params)) {
    if (Array.isArray(value)) continue
    if (!route.texts?.includes(name) && !isObjectId(value)) throw notFound()
    params[name] = value
  }
  return params
}

/** What the log says of a request. It never has a key, a token, a body or a path with ids in it. */
export type RequestLine = { requestId: string; route: string; appId: string | undefined; traceId?: string; spanId?: string }

/** A request's log line is stored on its response. A WeakMap would cost more, because the garbage collector examines each of its keys. */
const key = Symbol('request line')
type Lined = ServerResponse & { [key]?: RequestLine }

/** Gives the log line of the request that this response answers. The line is filled in while the request is handled. */
export const lineOf = (response: Lined): RequestLine => (response[key] ??= { requestId: '', route: 'unknown', appId: undefined })
