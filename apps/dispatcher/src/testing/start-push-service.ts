import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { atEnd } from '@herald/testing/at-end'
import { trust } from '@herald/testing/trust'

/** A request for a push, as the server received it. */
export type ArrivedRequest = { version: string; method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }

/** A push service that runs on one of Node's own servers and remembers the requests that it gets. */
export type PushService = {
  origin: string
  port: number
  arrived: ArrivedRequest[]
  /** Counts since the start: TCP connections, bytes read from them, and TLS handshakes that succeeded. */
  connections: () => number
  bytes: () => number
  handshakes: () => number
  /** How many connections are open now. */
  readonly open: number
  stop(): void
}

const certificate = makeServerCertificate(new Date(), 2, ['*.push.test'])
trust(certificate.ca)
const tls = { cert: certificate.certificate, key: certificate.privateKey }

/**
 * Starts a push service. The path of a request, such as `/201`, says with which status it is answered. With `h2` the server offers HTTP/1.1 as well.
 */
export async function startPushService(protocol: 'h2' | 'http/1.1', onPort = 0): Promise<PushService> {
  const arrived: ArrivedRequest[] = []
  let [handshakes, connections, bytes] = [0, 0, 0]
  const sockets = new Set<Socket>()
  const serve = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { headers, method = '', url: path = '', httpVersion: version } = request
      arrived.push({ version, method, path, headers, body: Buffer.concat(parts) })
      const status = Number(/\d{3}/.exec(path)?.[0])
      response.statusCode = status
      if (status === 307) response.setHeader('location', '/201')
      if (status === 429) response.setHeader('retry-after', '7')
      response.end(path.includes('long') ? 'x'.repeat(70_000) : '')
    })
  }
  const server = protocol === 'h2' ? createSecureServer({ ...tls, allowHTTP1: true }, serve) : createServer(tls, serve)
  server.on('secureConnection', () => void (handshakes += 1))
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      bytes += socket.bytesRead
    })
  })
  await new Promise<void>((listening) => server.listen(onPort, '127.0.0.1', listening))
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  atEnd(stop)
  const { port } = server.address() as AddressInfo
  return {
    origin: `https://localhost:${port}`,
    port,
    arrived,
    connections: () => connections,
    bytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, bytes),
    handshakes: () => handshakes,
    get open() {
      return sockets.size
    },
    stop,
  }
}

/** Starts a push service that speaks HTTP/1.1 and sends these bytes, whatever they are, when a request with the body `body` has come. */
export async function startStrangePushService(bytes: string, then: 'stays' | 'closes' | 'breaks' = 'stays'): Promise<{ port: number }> {
  const sockets = new Set<Socket>()
  const server = createTlsServer({ ...tls, ALPNProtocols: ['http/1.1'] }, (socket) => {
    sockets.add(socket)
    let read = ''
    socket.on('error', () => undefined)
    socket.on('data', (part: Buffer) => {
      read += part.toString('latin1')
      if (!read.endsWith('body')) return
      read = ''
      socket.write(Buffer.from(bytes, 'latin1'), () => {
        if (then === 'closes') socket.end()
        else if (then === 'breaks') socket.destroy()
      })
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return server.address() as AddressInfo
}
