import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { answerOfService } from './behaviour.ts'
import type { Faults, Service } from './faults.ts'
import { isOnly } from './only.ts'
import { serveHttp1 } from './http1.ts'
import { serveHttp2 } from '@herald/http2/server/connection'
import type { Answer, Request, Serve } from './request.ts'

export type Listener = {
  port: number
  /** Gives the number of TLS connections since the start. */
  connections: () => number
  /** Gives the last 20 protocol mistakes of clients, newest last. */
  protocolErrors: () => readonly string[]
  dropConnections: () => void
  close: () => void
}

export type ListenerOptions = {
  service: Service
  port: number
  bindTo: string
  certificate: string
  privateKey: string
  protocols: ('h2' | 'http/1.1')[]
  maxConcurrentStreams: number
  serve: Serve
  /** The answer of the simulated provider to every request while its fault `outage` is `503`. */
  unavailable: Answer
  faults: () => Readonly<Faults>
  onRefused: (answer: Answer) => void
}

/** Listens with TLS and serves each connection over HTTP/2 or HTTP/1.1, as ALPN says. A request gets the faults that are set when it comes. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { certificate, privateKey, protocols, faults } = options
  const sockets = new Set<Socket>()
  const protocolErrors: string[] = []
  let connections = 0

  const serve = (request: Request): Answer => {
    const { outage, latencyMs, answer: known, only } = faults()
    if (only !== null && !isOnly(only, options.service, request)) return serveWell(request)
    const answer = outage === '503' ? options.unavailable : known === null ? options.serve(request) : answerOfService(known)
    if (answer.reason) options.onRefused(answer)
    return latencyMs ? { ...answer, delayMs: (answer.delayMs ?? 0) + latencyMs } : answer
  }

  const serveWell = (request: Request): Answer => {
    const answer = options.serve(request)
    if (answer.reason) options.onRefused(answer)
    return answer
  }

  const http1 = createHttpServer({ keepAliveTimeout: 120_000 }, serveHttp1(serve))
  const server = createServer({ cert: certificate, key: privateKey, ALPNProtocols: protocols, noDelay: true }, (socket: TLSSocket) => {
    connections++
    if (socket.alpnProtocol === 'h2') {
      serveHttp2(socket, {
        maxConcurrentStreams: options.maxConcurrentStreams,
        serve,
        isRefused: () => Math.random() < faults().refuseStreamShare,
        isReset: () => Math.random() < faults().resetStreamShare,
        isStalled: () => faults().stallWindows,
        isLate: () => faults().lateWindows,
        isGoingAway: (requests) => faults().goawayEvery > 0 && requests >= faults().goawayEvery,
        onProtocolError: (message) => {
          protocolErrors.push(message)
          if (protocolErrors.length > 20) protocolErrors.shift()
        },
      })
    } else if (protocols.includes('http/1.1')) http1.emit('connection', socket)
    else socket.destroy()
  })
  server.on('connection', (socket: Socket) => {
    if (faults().outage === 'refuse') return socket.destroy()
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', (socket) => socket.on('error', () => socket.destroy()))
  // A client may give up during the handshake. That is no error of the simulator.
  server.on('tlsClientError', () => undefined)

  const dropConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.bindTo, backlog: 4096 }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    protocolErrors: () => protocolErrors,
    dropConnections,
    close: () => {
      server.close()
      dropConnections()
    },
  }
}
