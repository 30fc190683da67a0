import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, protocolFaults, type ProtocolFault } from './faults.ts'
import { isUploading } from './upload.ts'

/** The connection of a refused client is closed this long after the answer was written. A client that still sends can read the answer meanwhile. */
const lingerMs = 1_000

/** Answers requests that never reach a route: malformed or slow ones, too large headers, CONNECT. The answers have the common shape of errors. */
export function answerBrokenRequests(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  server.prependListener('request', (request, response) => latest.set(request.socket, response))
  server.on('clientError', (error, socket) => {
    // An upload may take longer than other requests. `openUpload` limits the time between its parts.
    if (codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
    const response = latest.get(socket)
    const isMidAnswer = response !== undefined && response.headersSent && !response.writableFinished
    if (!socket.writable || isMidAnswer || codeOf(error) === 'ECONNRESET') socket.destroy()
    else writeRaw(socket, protocolFaultOf(codeOf(error)))
  })
  server.on('connect', (_request, socket) => writeRaw(socket, protocolFaults.noTunnel))
  // A request with an Expect other than 100-continue is answered as if it had none (RFC 9110, 10.1.1 allows it).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function protocolFaultOf(code: string): ProtocolFault {
  if (code === 'HPE_HEADER_OVERFLOW') return protocolFaults.headersTooLarge
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return protocolFaults.tooSlow
  return protocolFaults.malformed
}

function writeRaw(socket: Duplex, { status, code, message }: ProtocolFault): void {
  const body = JSON.stringify(errorBody({ code, message, details: undefined }))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${crypto.randomUUID()}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  socket.on('error', () => undefined)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')
