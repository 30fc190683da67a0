import type { ServerResponse } from 'node:http'
import type { Fault } from '@herald/contracts/fault'
import { leaveRest } from './body.ts'
import { errorBody } from './faults.ts'

/**
 * Writes an answer with its length, once, unless the client is gone. A `body` that is a string is JSON already; for bytes, `headers` say what they
 * are. The rest of the request's body is not kept.
 */
export function respond(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return
  if (leaveRest(response.req)) response.setHeader('connection', 'close')
  if (body === undefined) {
    response.writeHead(status, headers).end()
    return
  }
  const written = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(written), ...headers })
    .end(written)
}

export function respondFault(response: ServerResponse, fault: Fault): void {
  const headers: Record<string, string> = {
    ...(fault.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }),
  }
  respond(response, fault.status, errorBody(fault), headers)
}
