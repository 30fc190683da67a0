import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { fault, notFound } from '@herald/contracts/fault'
import type { Log } from '@herald/service/log'
import { forRequest } from '@herald/service/request-id'
import { activeTrace, inSpan } from '@herald/service/trace'
import express, { type Request, type Response } from 'express'
import type { Gateway } from '../gateway.ts'
import { answerRoute, lineOf, type Door, type RequestLine, type Routed } from './answer-route.ts'
import { EventStream, respondStream } from './event-stream.ts'
import { errorBody, faultOf, protocolFaults } from './faults.ts'
import { allowAnyOrigin, hasOneHost, headerOf, preflightHeaders, requestIdOf, setSafetyHeaders } from './headers.ts'
import type { Measures } from '../measures.ts'
import { Reply } from './reply.ts'
import { type Route } from './route.ts'
import { respond, respondFault } from './respond.ts'
import { respondText, TextStream } from './text-stream.ts'

const administrationPrefix = '/v1/admin'
const { malformed } = protocolFaults

/**
 * Makes the function that handles a server's requests. Paths are exact: another case, a trailing or a doubled slash is unknown. Express' application
 * is not used, because it changes each request's and response's prototype, which slows Node down.
 */
export function serve(routes: readonly Route[], gateway: Gateway, door: Door & { log: Log; measure: Measures }): RequestListener {
  const router = express.Router({ strict: true, caseSensitive: true })
  // The router passes on the server's own request and response, without what Express' application adds to them.
  for (const [path, onPath] of byPath(routes)) router.all(path, answerPath(path, onPath, gateway, door))
  return (request, response) => {
    const line = begin(request, response, door.log)
    if (!hasOneHost(request))
      return respond(response, malformed.status, errorBody({ ...malformed, details: undefined }), { connection: 'close' })
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

/** Answers all methods of one path: those of its routes, a browser's preflight where pages may call the path, and 405 for any other. */
function answerPath(path: string, routes: Route[], gateway: Gateway, door: Door & { log: Log; measure: Measures }) {
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
    // `guard` refuses the request before any check while the database is away, and ends the request when the database goes away meanwhile.
    const answer = await inSpan('answer', route.name, headerOf(request, 'traceparent'), () =>
      route.withoutDatabase || route.inParts ? work() : gateway.watch.guard(work),
    )
    if (answer instanceof EventStream) return respondStream(response, answer, { headOnly: request.method === 'HEAD' })
    if (answer instanceof TextStream) return respondText(response, answer, { headOnly: request.method === 'HEAD', log: door.log })
    const { body, status = route.status, headers } = answer instanceof Reply ? answer : new Reply(answer)
    return respond(response, status, status === 204 ? undefined : body, headers)
  }
}

/**
 * Answers a request that failed; every error of a route becomes an answer here. An error that is a mistake of Herald's own gets a log line beside the
 * request's line.
 */
function answerError(log: Log, response: ServerResponse, error: unknown): void {
  const seen = faultOf(error)
  if (seen.code === 'internal') log.error({ ...lineOf(response), err: seen.cause ?? seen }, 'request failed')
  respondFault(response, seen)
}
