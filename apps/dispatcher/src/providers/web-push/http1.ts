import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { dial, type DialOptions } from '@herald/http2/client/dial'
import { errorWord, type Reply } from '@herald/http2/client/reply'

/** A request to a push service that has nothing better than HTTP/1.1. */
export type Http1Request = { path: string; headers: Readonly<Record<string, string>>; body: Buffer; timeoutMs: number }

/** A push service that speaks HTTP/1.1, over connections that are kept. */
export type Http1 = {
  /** Never rejects: whatever the peer or the network does is a reply. */
  request(request: Http1Request): Promise<Reply>
  /** Takes a connection that stands already. */
  adopt(socket: TLSSocket): void
  close(): void
}

export type Http1Options = DialOptions & {
  /** Connections at once, and of them those that are kept while nothing is sent. */
  connections: number
  idleConnections: number
  idleMs: number
  connectMs: number
  /** An answer's body says nothing we use; it is read so that the connection can be used again, up to this. */
  bodyBytes: number
  /** A new connection agreed on HTTP/2: the push service has learned it. Nothing more goes through here. */
  onHttp2: () => void
}

const noBody = Buffer.alloc(0)

export function openHttp1(options: Http1Options): Http1 {
  const { connections, idleConnections, idleMs, connectMs, bodyBytes, onHttp2 } = options
  const agent = new Agent({ keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs })
  const adopted: TLSSocket[] = []
  let session: Buffer | undefined
  // Counted here, because the agent counts a connection only when it stands.
  const gate = openGate(connections)

  agent.createConnection = (_, done = () => undefined) => {
    const given = adopted.pop()
    if (given && !given.destroyed) return given
    dial(
      { ...options, offerHttp1: true },
      connectMs,
      session,
      (fresh) => (session = fresh),
      (dialed) => {
        if (dialed.is === 'connected' && dialed.protocol === 'http/1.1') return done(null, dialed.socket)
        if (dialed.is === 'connected') {
          dialed.socket.destroy()
          onHttp2()
        }
        const code = dialed.is === 'failed' ? dialed.reason : 'HTTP_2'
        // The second parameter's type has no room for the absence of a socket; nobody looks at it beside an error.
        return Reflect.apply(done, undefined, [Object.assign(new Error('no connection'), { code })])
      },
    )
    return undefined
  }

  function post({ path, headers, body, timeoutMs }: Http1Request): Promise<Reply> {
    return new Promise((resolve) => {
      const outgoing = requestHttp({ agent, method: 'POST', path, headers }, (response) => {
        resolve({ is: 'answered', status: response.statusCode ?? 0, headers: headersOf(response), body: noBody })
        passOver(response, bodyBytes)
      })
      let isConnected = false
      let timer: NodeJS.Timeout | undefined
      // A connection comes whole out of `createConnection`: before this nothing of the push has left, whatever goes wrong.
      outgoing.on('socket', () => {
        isConnected = true
        timer = giveUpAfter(outgoing, timeoutMs)
      })
      // The answer's body is over as well: the connection is free again, or gone.
      outgoing.on('close', () => {
        clearTimeout(timer)
        gate.leave()
      })
      outgoing.on('error', (error) => {
        const reason = errorWord(error)
        if (!isConnected) resolve({ is: 'unsent', reason })
        else resolve({ is: 'unanswered', why: reason === 'ETIMEDOUT' ? 'timeout' : 'broken', reason })
      })
      outgoing.end(body)
    })
  }

  return {
    async request(request) {
      const since = performance.now()
      await gate.enter()
      if (performance.now() - since > request.timeoutMs) {
        gate.leave()
        return { is: 'unsent', reason: 'timeout' }
      }
      return post(request)
    },
    adopt(socket) {
      adopted.push(socket)
    },
    close() {
      for (const socket of adopted.splice(0)) socket.destroy()
      agent.destroy()
    },
  }
}

function giveUpAfter(outgoing: ClientRequest, ms: number): NodeJS.Timeout {
  return setTimeout(() => outgoing.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), ms)
}

function headersOf({ headers }: IncomingMessage): ReadonlyMap<string, string> {
  return new Map(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

/** Read to the end, so that the connection can be used again, but not for ever. */
function passOver(response: IncomingMessage, mostBytes: number): void {
  let bytes = 0
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostBytes) response.destroy()
  })
}

/** Lets a number of users in at once; the others wait, first come, first served. */
export type Gate = {
  enter(): Promise<void>
  leave(): void
  /** Nobody is in it or waits. */
  readonly isEmpty: boolean
}

const entered = Promise.resolve()

export function openGate(most: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  return {
    enter() {
      if (inside >= most) return new Promise((enter) => waiting.push(enter))
      inside++
      return entered
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else inside--
    },
    get isEmpty() {
      return inside === 0
    },
  }
}
