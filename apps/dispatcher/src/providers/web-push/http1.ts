import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { dial, type DialOptions } from '@herald/http2/client/dial'
import { errorWord, type Reply } from '@herald/http2/client/reply'

/** A request to a push service that speaks only HTTP/1.1. */
export type Http1Request = { path: string; headers: Readonly<Record<string, string>>; body: Buffer; timeoutMs: number }

/** A push service that speaks HTTP/1.1, over connections that are kept. */
export type Http1 = {
  /** Never rejects: whatever the peer or the network does is a reply. */
  request(request: Http1Request): Promise<Reply>
  /** Takes over a connection that another part made: the next request uses it. */
  adopt(socket: TLSSocket): void
  close(): void
}

export type Http1Options = DialOptions & {
  /** How many connections there are at once, and how many of them are kept while nothing is sent. */
  connections: number
  idleConnections: number
  idleMs: number
  connectMs: number
  /** The body of an answer says nothing that we use. It is read up to this size, so that the connection can be used again. */
  bodyBytes: number
  /** Hears that a new connection agreed on HTTP/2, which the push service has learned: from then on nothing is sent over HTTP/1.1. */
  onHttp2: () => void
}

const noBody = Buffer.alloc(0)

export function openHttp1(options: Http1Options): Http1 {
  const { connections, idleConnections, idleMs, connectMs, bodyBytes, onHttp2 } = options
  const agent = new Agent({ keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs })
  const adopted: TLSSocket[] = []
  let session: Buffer | undefined
  // The gate counts connections, because the agent counts one only when its handshake is over.
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
        // The type of the second parameter demands a socket, but beside an error it is not looked at.
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
      // `createConnection` gives a connection only when its handshake is over. Until then nothing of the push has left, whatever goes wrong.
      outgoing.on('socket', () => {
        isConnected = true
        timer = giveUpAfter(outgoing, timeoutMs)
      })
      // The body of the answer has ended too: the connection is free again, or gone.
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

/** Reads a body to its end, so that the connection can be used again; one that is too long ends the connection. */
function passOver(response: IncomingMessage, mostBytes: number): void {
  let bytes = 0
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostBytes) response.destroy()
  })
}

/** Lets so many pushes in at once. The others wait, first come, first served. */
export type Gate = {
  enter(): Promise<void>
  leave(): void
  /** Whether no push is inside, and so none waits. */
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
