import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Service } from '@herald/service/run'
import { answerBrokenRequests } from './broken-requests.ts'

/** The whole request must have arrived within this, its headers within `headersTimeout`. */
const requestTimeoutMs = 15_000
const headersTimeoutMs = 10_000
/** Longer than the idle time of the usual load balancers (60 s), so that it is they who close. */
const keepAliveTimeoutMs = 65_000
/** A stop waits this long for requests in work. */
const stopWithinMs = 8_000
/** Clients that keep a connection hear `connection: close` on a request they send within this, instead of a reset. */
const lastWordMs = 300

/** Starts the server and answers its port. Throws an Error that names the port when it is taken. */
export async function listen(service: Service<{ HOST: string; PORT: number }>, app: RequestListener): Promise<number> {
  const { HOST: host, PORT: port } = service.config
  const inWork = new Set<ServerResponse>()
  let stopping = false

  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      inWork.add(response)
      response.once('close', () => inWork.delete(response))
      if (stopping) response.setHeader('connection', 'close')
      app(request, response)
    },
  )
  answerBrokenRequests(server)
  await bind(server, host, port)

  service.onStop('http server', async () => {
    stopping = true
    // Not server.close(): that cuts idle connections at once, and with them requests that are on their way.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
    for (const response of inWork) if (!response.headersSent) response.setHeader('connection', 'close')
    // After the next poll, so that a request which has arrived but was not read yet makes its connection a busy one.
    const closeIdle = setInterval(() => setImmediate(() => server.closeIdleConnections()), lastWordMs)
    const cut = setTimeout(() => server.closeAllConnections(), stopWithinMs)
    await closed
    clearInterval(closeIdle)
    clearTimeout(cut)
    server.close()
  })

  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  service.log.info({ host, port: bound }, 'listening')
  return bound
}

/**
 * With `reusePort` a new gateway listens before the old one stops, so a rolling restart refuses nobody; not every platform has it. Who
 * stands in the old one's accept queue at that moment is reset by the kernel, unless net.ipv4.tcp_migrate_req is 1 (20 clients that
 * connect for every request on two busy cores: 5 to 7 resets per restart without it, none with it; no order of closing changes that).
 */
async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    await bindOnce(server, { host, port, reusePort: true })
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw portTaken(host, port, error)
    if (!['ENOTSUP', 'EINVAL', 'ENOPROTOOPT', 'EOPNOTSUPP'].includes(codeOf(error))) throw error
    await bindOnce(server, { host, port }).catch((again: unknown) => {
      throw codeOf(again) === 'EADDRINUSE' ? portTaken(host, port, again) : again
    })
  }
}

const bindOnce = (server: Server, options: { host: string; port: number; reusePort?: boolean }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...options, backlog: 1_024 }, () => {
      server.off('error', reject)
      resolve()
    })
  })

const portTaken = (host: string, port: number, cause: unknown): Error =>
  new Error(`Port ${port} of ${host} is taken by another program. Stop it, or set PORT to a free one.`, { cause })

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
