import { createServer, request as ask, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** What a proxy in front of Herald does wrong. */
export type Faults = {
  /**
   * Whether the proxy closes the connection instead of passing the answer on, although Herald has done what the request asks. `n` is the number of
   * the request, from 1.
   */
  drops?: (n: number, request: IncomingMessage) => boolean
  /** Sends this Host to Herald, as a proxy does that is not configured to pass on the client's Host. */
  host?: string
  /** Passes an answer on only when it is complete, so a stream that never ends never arrives. */
  buffers?: boolean
  headers?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders
  /** Changes the JSON of the answers to a path. */
  json?: { path: string; change: (body: Record<string, unknown>) => Record<string, unknown> }
  /** Speaks TLS with this certificate. */
  tls?: { certificate: string; privateKey: string }
}

/** Starts a proxy on a free port. `asked` counts the requests, `dropped` the answers that the proxy did not pass on. */
export async function startFaultyProxy(
  target: string,
  faults: Faults,
): Promise<{ url: string; asked: () => number; dropped: () => number; stop: () => void }> {
  const counts = { asked: 0, dropped: 0 }
  const serve = (...[request, response]: Parameters<NonNullable<Parameters<typeof createServer>[1]>>) => {
    counts.asked += 1
    const isDropped = faults.drops?.(counts.asked, request) ?? false
    const headers = { ...request.headers, ...(faults.host === undefined ? {} : { host: faults.host }) }
    const asking = ask(new URL(request.url ?? '/', target), { method: request.method, headers }, (answer) => {
      const said = faults.headers?.(answer.headers) ?? answer.headers
      const isChanged = request.url === faults.json?.path
      if (!isDropped && !isChanged && !faults.buffers) {
        response.writeHead(answer.statusCode ?? 502, said)
        answer.pipe(response)
        return
      }
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        if (isDropped) {
          counts.dropped += 1
          request.socket.destroy()
          return
        }
        const { 'content-length': _length, ...others } = said
        const body = Buffer.concat(parts)
        const shown =
          isChanged && faults.json ? JSON.stringify(faults.json.change(JSON.parse(body.toString()) as Record<string, unknown>)) : body
        response.writeHead(answer.statusCode ?? 502, others).end(shown)
      })
    })
    asking.on('error', () => request.socket.destroy())
    response.on('close', () => asking.destroy())
    request.pipe(asking)
  }
  const { tls } = faults
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.privateKey }, serve) : createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => counts.asked,
    dropped: () => counts.dropped,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
