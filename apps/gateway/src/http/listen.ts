import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Service } from '@herald/service/run'
import { answerBrokenRequests } from './broken-requests.ts'

/** The whole request must have arrived within this, its headers within `headersTimeout`. */
const requestTimeoutMs = 15_000
const headersTimeoutMs = 10_000
/** Longer than the idle time of the usual load balancers (60 s), so that the load balancer closes an idle connection and not the gateway. */
const keepAliveTimeoutMs = 65_000
/** A stop waits so long for requests under way. */
const stopWithinMs = 8_000
/** When a stop has begun, a request on a kept connection is still answered within this time, with `connection: close`, instead of meeting a reset. */
const lastWordMs = 1_000
/** How many connections may wait to be accepted while this process is busy or being replaced. The kernel's net.core.somaxconn is the upper limit. */
const backlog = 4_096
/** The first descriptor of sd_listen_fds(3). */
const givenSocket = 3

type ListenConfig = { HOST: string; PORT: number; LISTEN_FDS: number; LISTEN_PID: number }

/** Starts the server and gives its port. Throws an Error that names the port when it is taken. */
export async function listen(service: Service<ListenConfig>, app: RequestListener): Promise<number> {
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
  await bind(server, service.config)

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
  if (typeof address !== 'object' || address === null) throw notListenable()
  service.log.info({ host: address.address, port: address.port }, 'listening')
  return address.port
}

/**
 * Binds the server. On a socket that was handed over, connections that arrive while no gateway accepts wait for the next gateway
 * (docs/decisions/0008). Without one, `reusePort` lets a new gateway listen before the old one stops, so that a rolling restart refuses nobody;
 * not every platform has it. The kernel resets the connections in the old gateway's accept queue at that moment, unless net.ipv4.tcp_migrate_req
 * is 1 (20 clients that connect for every request on two busy cores: 5 to 7 resets per restart without it, none with it; no order of closing
 * changes that).
 */
async function bind(server: Server, { HOST: host, PORT: port, LISTEN_FDS: given, LISTEN_PID: givenTo }: ListenConfig): Promise<void> {
  const isGiven = given > 0 && (givenTo === 0 || givenTo === process.pid)
  try {
    await bindOnce(server, isGiven ? { fd: givenSocket } : { host, port, reusePort: true })
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw portTaken(host, port, error)
    if (isGiven) throw notListenable(error)
    if (!['ENOTSUP', 'EINVAL', 'ENOPROTOOPT', 'EOPNOTSUPP'].includes(codeOf(error))) throw error
    await bindOnce(server, { host, port }).catch((again: unknown) => {
      throw codeOf(again) === 'EADDRINUSE' ? portTaken(host, port, again) : again
    })
  }
}

const bindOnce = (server: Server, options: { host: string; port: number; reusePort?: boolean } | { fd: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, backlog, () => {
      server.off('error', reject)
      resolve()
    })
  })

const portTaken = (host: string, port: number, cause: unknown): Error =>
  new Error(`Port ${port} of ${host} is taken by another program. Stop it, or set PORT to a free one.`, { cause })

const notListenable = (cause?: unknown): Error => new Error('LISTEN_FDS is 1, but descriptor 3 is no TCP socket to listen on.', { cause })

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
