import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type TLSSocket } from 'node:tls'
import { frame, frameType, goAwayFrame, preface, settingsFrame, splitFrames } from '../frames.ts'
import { openOrigin, type Origin, type OriginOptions } from '../client/origin.ts'
import { prepareHead } from '../client/head.ts'
import type { Reply } from '../client/reply.ts'
import { serveHttp2 } from '../server/connection.ts'
import type { Http2Options } from '../server/request.ts'
import { givenCertificate } from './certificate.ts'

/** Starts a TLS server on 127.0.0.1 that passes every connection to `serve`. Gives what a client needs to trust it. */
export async function givenTlsServer(serve: (socket: TLSSocket) => void, protocols: string[] = ['h2'], more: object = {}) {
  const certificate = givenCertificate()
  const sockets = new Set<Socket>()
  const server = createServer(
    { cert: certificate.pem, key: readFileSync(certificate.privateKeyPath), ALPNProtocols: protocols, noDelay: true, ...more },
    (socket) => {
      socket.on('error', () => socket.destroy())
      serve(socket)
    },
  )
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origins: Origin[] = []
  return {
    port,
    certificate,
    sockets,
    open(options: Partial<OriginOptions> = {}): Origin {
      const origin = openOrigin({ host: 'localhost', port, ca: certificate.pem, ...options })
      origins.push(origin)
      return origin
    },
    head: prepareHead({ authority: `localhost:${port}`, fields: [['apns-topic', 'org.example.app']] }),
    stop: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await Promise.all(origins.map((origin) => origin.close()))
      certificate.remove()
    },
  }
}

export type TlsPeer = Awaited<ReturnType<typeof givenTlsServer>>

/** Starts Herald's own HTTP/2 server. */
export const givenServer = (options: Partial<Http2Options> & Pick<Http2Options, 'serve'>): Promise<TlsPeer> =>
  givenTlsServer((socket) =>
    serveHttp2(socket, {
      maxConcurrentStreams: 1_000,
      isRefused: () => false,
      isGoingAway: () => false,
      onProtocolError: (message) => {
        throw new Error(`the client broke the protocol: ${message}`)
      },
      ...options,
    }),
  )

/** A frame, as the other end got it. */
export type Frame = { type: number; flags: number; streamId: number; payload: Buffer }

/** One connection to a server that does only what the test says. */
export type ScriptedConnection = {
  /** All frames that the client has sent so far. */
  frames: Frame[]
  of: (type: number) => Frame[]
  /** Gives the code of the client's GOAWAY; undefined when it sent none. */
  goAwayCode: () => number | undefined
  send: (...frames: Buffer[]) => void
  socket: TLSSocket
}

/** Starts a server that sends its SETTINGS and then only what the test tells it to. `onFrame` is called with each frame of the client. */
export async function givenScriptedServer(
  onFrame: (frame: Frame, connection: ScriptedConnection) => void,
  settings: (nth: number) => readonly (readonly [number, number])[] = () => [],
) {
  const connections: ScriptedConnection[] = []
  const peer = await givenTlsServer((socket) => {
    const connection: ScriptedConnection = {
      frames: [],
      of: (type) => connection.frames.filter((frame) => frame.type === type),
      goAwayCode: () => connection.of(frameType.goAway)[0]?.payload.readUInt32BE(4),
      send: (...frames) => socket.writable && socket.write(Buffer.concat(frames)),
      socket,
    }
    connections.push(connection)
    let prefaceLeft = preface.length
    const split = splitFrames((type, flags, streamId, buffer, start, end) => {
      const frame = { type, flags, streamId, payload: Buffer.from(buffer.subarray(start, end)) }
      connection.frames.push(frame)
      onFrame(frame, connection)
    })
    socket.on('data', (bytes: Buffer) => {
      const skipped = Math.min(prefaceLeft, bytes.length)
      prefaceLeft -= skipped
      split(bytes.subarray(skipped))
    })
    connection.send(settingsFrame(settings(connections.length)))
  })
  return { ...peer, connections }
}

/** Makes a function that sends a request to a server, without a body unless one is given. */
export const sendTo =
  (peer: Pick<TlsPeer, 'head'>) =>
  (origin: Origin, path = '/', more: { body?: Buffer | string; timeoutMs?: number } = {}): Promise<Reply> =>
    origin.request({ head: peer.head, path, body: '', timeoutMs: 30_000, ...more })

export const isRequest = ({ type }: Frame): boolean => type === frameType.headers

export const status200 = Buffer.from([0x88])
export const answer = (streamId: number, block: Buffer = status200): Buffer => frame(frameType.headers, 5, streamId, block)
export const goAway = (lastStreamId: number, code = 0): Buffer => goAwayFrame(lastStreamId, code, '')

/** Makes a field for a header block: literal, without indexing, with short texts. */
export const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name, 'latin1'), Buffer.from([value.length]), Buffer.from(value, 'latin1')])

/** Gives a reply as a few words for lists: the status, or what happened and why. */
export const told = (reply: Reply): string =>
  reply.is === 'answered'
    ? String(reply.status)
    : reply.is === 'unanswered'
      ? `unanswered ${reply.why} ${reply.reason}`
      : `${reply.is} ${reply.reason}`

/** Waits until a condition holds, 60 s at most. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`60 s passed and it is not so: ${what}`)
    await sleep(5)
  }
}
