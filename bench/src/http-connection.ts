import { connect, type Socket } from 'node:net'

export type Reply = { status: number; body: string }

const limitMs = 30_000

/**
 * Opens an HTTP/1.1 connection for one request at a time, opened again when the server closed it. Takes a fifth of `fetch`'s CPU, which the measured
 * platform needs. A request without an answer fails after 30 s.
 */
export function openConnection(baseUrl: string) {
  const { hostname, port, host } = new URL(baseUrl)
  let socket: Socket | undefined
  let received = Buffer.alloc(0)
  let waiting: { done: (reply: Reply) => void; fail: (error: Error) => void } | undefined

  function open(): Socket {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true })
    opened.setTimeout(limitMs)
    opened.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const reply = takeReply()
      if (!reply) return
      const asked = waiting
      waiting = undefined
      asked?.done(reply)
    })
    const gone = (error: Error) => {
      if (socket !== opened) return
      socket = undefined
      received = Buffer.alloc(0)
      const asked = waiting
      waiting = undefined
      asked?.fail(error)
    }
    opened.on('timeout', () => opened.destroy(waiting && new Error(`no answer within ${limitMs} ms`)))
    opened.on('error', gone)
    opened.on('close', () => gone(new Error('the connection was closed')))
    return opened
  }

  function takeReply(): Reply | undefined {
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const head = received.toString('latin1', 0, end)
    const rest = received.subarray(end + 4)
    const taken = /\r\ntransfer-encoding: *chunked/i.test(head) ? takeChunks(rest) : takeLength(rest, head)
    if (!taken) return undefined
    received = rest.subarray(taken.length)
    if (/\r\nconnection: *close/i.test(head)) {
      socket?.end()
      socket = undefined
    }
    return { status: Number(head.slice(9, 12)), body: taken.body.toString() }
  }

  return {
    /** Sends a request and gives the reply. `head` has further header lines, each with its line end. */
    ask(method: string, path: string, head: string, body = ''): Promise<Reply> {
      return new Promise((done, fail) => {
        waiting = { done, fail }
        socket ??= open()
        const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
        socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${head}${length}\r\n${body}`)
      })
    },
    close: (): void => void socket?.destroy(),
  }
}

export type Connection = ReturnType<typeof openConnection>

type Taken = { body: Buffer; length: number }

/** Reads a body with a Content-Length from the received bytes; an answer without that header (204) has no body. Undefined while a part is missing. */
function takeLength(rest: Buffer, head: string): Taken | undefined {
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return rest.length < length ? undefined : { body: rest.subarray(0, length), length }
}

/**
 * Reads a chunked body from the received bytes, up to the empty chunk that ends it. Trailers are not supported, because Herald sends none. Undefined
 * while a part is missing.
 */
function takeChunks(rest: Buffer): Taken | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (rest.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), length: next }
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
