import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { fault, notFound } from '@herald/contracts/fault'
import type { Log } from '@herald/service/log'
import { forRequest } from '@herald/service/request-id'
import { activeTrace, inSpan } from '@herald/service/trace'
import express, { type Request, type Response } from 'express'
import type { Gateway } from '../gateway.ts'
import { answerRoute, type Door, type Routed } from './answer-route.ts'
import { EventStream, respondStream } from './event-stream.ts'
import { faultOf } from './faults.ts'
import { allowAnyOrigin, headerOf, preflightHeaders, requestIdOf, setSafetyHeaders } from './headers.ts'
import type { Measure } from '../measures.ts'
import { lineOf, type RequestLine } from './request-line.ts'
import { Reply, type Route } from './route.ts'
import { respond, respondFault } from './respond.ts'
import { respondText, TextStream } from './text-stream.ts'

const administrationPrefix = '/v1/admin'

/**
 * The table of routes as what a server listens with. Paths are exact: other case, a trailing or doubled slash is another path, and unknown.
 * Express' router alone, without its application: that gives each request and response another prototype, which makes
 * all that Node does with them slower.
 */
export function serve(routes: readonly Route[], gateway: Gateway, door: Door & { log: Log; measure: Measure }): RequestListener {
  const router = express.Router({ strict: true, caseSensitive: true })
  // What the router hands on are the server's own request and response, without what Express' application adds to them.
  for (const [path, onPath] of byPath(routes)) router.all(path, answerPath(path, onPath, gateway, door))
  return (request, response) => {
    const line = begin(request, response, door.log)
    forRequest(line.requestId, () =>
      router(request as Request, response as Response, (error?: unknown) => {
        if (error !== undefined && error !== null) return answerError(door.log, response, error)
        door.measure.request('unknown', response)
        respondFault(response, notFound())
      }),
    )
  }
}

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>()
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route])
  return paths
}

function begin(request: IncomingMessage, response: ServerResponse, log: Log): RequestLine {
  const startedAt = performance.now()
  const line = lineOf(response)
  line.requestId = requestIdOf(request)
  response.setHeader('x-request-id', line.requestId)
  setSafetyHeaders(response)
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : 'gone'
    log.info({ ...line, method: request.method, status, ms: Math.round(performance.now() - startedAt) }, 'request')
  })
  return line
}

/** All methods of one path: which there are, what a browser may do, and 405 for the rest. */
function answerPath(path: string, routes: Route[], gateway: Gateway, door: Door & { log: Log; measure: Measure }) {
  const byMethod = new Map(routes.map((route) => [route.method.toUpperCase(), route]))
  const get = byMethod.get('GET')
  if (get) byMethod.set('HEAD', get)
  const methods = [...byMethod.keys()].join(', ')
  const isAdministration = path.startsWith(administrationPrefix)
  const isForPages = !isAdministration && routes.some(({ key, anyOrigin }) => key === 'public' || anyOrigin)

  return async (request: Routed, response: ServerResponse) => {
    lineOf(response).route = path
    if (isAdministration && door.adminToken === undefined) return respondFault(response, notFound())
    if (isForPages) allowAnyOrigin(response)
    if (isForPages && request.method === 'OPTIONS') return respond(response, 204, undefined, preflightHeaders(methods))
    const route = byMethod.get(request.method ?? '')
    if (!route) {
      response.setHeader('Allow', methods)
      return respondFault(response, fault('method_not_allowed', `This method is not allowed here; allowed: ${methods}.`))
    }

    door.measure.request(route.name, response)
    const work = () => {
      Object.assign(lineOf(response), activeTrace())
      return answerRoute(route, request, response, gateway, door)
    }
    // The guard comes before everything that may be wrong with the request, and ends it when the database goes away meanwhile.
    const answer = await inSpan('answer', route.name, headerOf(request, 'traceparent'), () =>
      route.withoutDatabase || route.inParts ? work() : gateway.watch.guard(work),
    )
    if (answer instanceof EventStream) return respondStream(response, answer, { headOnly: request.method === 'HEAD' })
    if (answer instanceof TextStream) return respondText(response, answer, { headOnly: request.method === 'HEAD', log: door.log })
    const { body, status = route.status, headers } = answer instanceof Reply ? answer : new Reply(answer)
    return respond(response, status, status === 204 ? undefined : body, headers)
  }
}

/** The one place where an error becomes an answer. Only our own mistakes are logged beside the request's line. */
function answerError(log: Log, response: ServerResponse, error: unknown): void {
  const seen = faultOf(error)
  if (seen.code === 'internal') log.error({ ...lineOf(response), err: seen.cause ?? seen }, 'request failed')
  respondFault(response, seen)
}
