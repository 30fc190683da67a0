import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { dial, type DialOptions } from '@herald/http2/client/dial'
import { errorWord, type Reply } from '@herald/http2/client/reply'

/** A request to a push service that speaks only HTTP/1.1. */
export type Http1Request = { path: string; headers: Readonly<Record<string, string>>; body: Buffer; timeoutMs: number }

/** The connections to a push service that speaks HTTP/1.1. They are kept open for further requests. */
export type Http1 = {
  /** Posts one push. Never rejects: a failure of the push service or the network is a reply too. */
  request(request: Http1Request): Promise<Reply>
  /** Takes over a connection that was opened to find out the version of HTTP. The next request that needs a new connection gets this one. */
  adopt(socket: TLSSocket): void
  close(): void
}

export type Http1Options = DialOptions & {
  /** At most this many connections are open at once. At most `idleConnections` of them stay open while they are idle. */
  connections: number
  idleConnections: number
  idleMs: number
  connectMs: number
  /** At most this many bytes of an answer's body are read. Herald does not use the body; it is read so that the connection can be used again. */
  bodyBytes: number
  /** Is called when a new connection agrees on HTTP/2, because the push service has learned it. Its caller sends later pushes over HTTP/2. */
  onHttp2: () => void
}

const noBody = Buffer.alloc(0)

export function openHttp1(options: Http1Options): Http1 {
  const { connections, idleConnections, idleMs, connectMs, bodyBytes, onHttp2 } = options
  const agent = new Agent({ keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs })
  const adopted: TLSSocket[] = []
  let session: Buffer | undefined
  // Each push inside the gate uses or opens one connection. The agent cannot bound connections, because it counts them only after their handshakes.
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
        // The type of the second parameter demands a socket, but Node ignores it when there is an error.
        return Reflect.apply(done, undefined, [Object.assign(new Error('no connection'), { code })])
      },
    )
    return undefined
  }

  function post({ path, headers, body, timeoutMs }: Http1Request): Promise<Reply> {
    return new Promise((resolve) => {
      const noAnswer: Reply = { is: 'unanswered', why: 'broken', reason: 'NO_HTTP_ANSWER' }
      // With this option Node takes header values that HTTP does not allow. The answer is read by nobody else, so they can do no harm.
      const outgoing = requestHttp({ agent, method: 'POST', path, headers, insecureHTTPParser: true }, (response) => {
        // Node passes on a 101 without the headers of an upgrade, and statuses below 100. Neither is an answer to the push.
        if ((response.statusCode ?? 0) < 200) return void outgoing.destroy(Object.assign(new Error('no answer'), { code: noAnswer.reason }))
        resolve({ is: 'answered', status: response.statusCode ?? 0, headers: headersOf(response), body: noBody })
        passOver(response, bodyBytes)
      })
      let isConnected = false
      let timer: NodeJS.Timeout | undefined
      // `createConnection` gives a connection only after its handshake. Until then no byte of the push has been sent, whatever goes wrong.
      outgoing.on('socket', () => {
        isConnected = true
        timer = giveUpAfter(outgoing, timeoutMs)
      })
      // By now the body of the answer has ended too: the connection is free for another request, or closed.
      outgoing.on('close', () => {
        clearTimeout(timer)
        gate.leave()
        // After a 101 with the headers of an upgrade Node closes the connection and tells only this.
        resolve(noAnswer)
      })
      outgoing.on('error', (error) => {
        const reason = errorWord(error)
        const misread = answerIn(error)
        if (misread) resolve(misread)
        else if (!isConnected) resolve({ is: 'unsent', reason })
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

/** What Node calls a head with a field that it cannot read. */
const fieldErrors = /^HPE_(INVALID_HEADER_TOKEN|INVALID_CONTENT_LENGTH|UNEXPECTED_CONTENT_LENGTH|UNEXPECTED_SPACE|LF_EXPECTED|CR_EXPECTED)$/
const wholeHead = /^HTTP\/1\.[01] ([2-5]\d\d)(?: [^\r\n]*)?\r?\n([^]*?)\r?\n\r?\n/
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Reads the answer in a head that Node refused because of a field: the push was processed. The bad field is dropped. */
function answerIn(error: Error): Reply | undefined {
  const bytes: unknown = Reflect.get(error, 'rawPacket')
  if (!fieldErrors.test(errorWord(error)) || !Buffer.isBuffer(bytes)) return undefined
  const [, status, lines = ''] = wholeHead.exec(bytes.toString('latin1')) ?? []
  if (status === undefined) return undefined
  const fields = lines.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    const value = line.slice(colon + 1).trim()
    return fieldName.test(name) && !value.includes('\0') ? [[name.toLowerCase(), value] as const] : []
  })
  return { is: 'answered', status: Number(status), headers: new Map(fields), body: noBody }
}

/** Reads a body to its end and drops it, so that the connection can be used again. A body that is too long ends the connection. */
function passOver(response: IncomingMessage, mostBytes: number): void {
  let bytes = 0
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostBytes) response.destroy()
  })
}

/** Lets only so many pushes in at once as `openGate` was given (`most`). The others wait, first come, first served. */
export type Gate = {
  enter(): Promise<void>
  leave(): void
  /** Whether no push is inside. Then no push waits either. */
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
