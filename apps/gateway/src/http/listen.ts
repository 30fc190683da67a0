import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Service } from '@herald/service/run'
import { answerBrokenRequests } from './broken-requests.ts'

/** The whole request, unless it is an upload, must arrive within this time, and its headers within `headersTimeoutMs`. */
const requestTimeoutMs = 15_000
const headersTimeoutMs = 10_000
/**
 * An idle connection is closed after this time. The usual load balancers close it after 60 s. The gateway waits longer, so that it does not close a
 * connection on which a load balancer is just sending a request.
 */
const keepAliveTimeoutMs = 65_000
/** A gateway that stops waits at most this long for requests under way. */
const stopWithinMs = 8_000
/**
 * A gateway that stops closes idle connections only after this time. Until then a request on an idle connection is still answered, with `connection:
 * close`, and not reset.
 */
const lastWordMs = 1_000
/**
 * While this process is busy or is being replaced, at most this many connections wait for it to accept them. The kernel's net.core.somaxconn may make
 * the number lower.
 */
const backlog = 4_096
/** A process that is given a socket finds it under this descriptor (sd_listen_fds(3)). */
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
      // A body's chunk has up to 64 KiB. With Node's 64 KiB a second one is read before anybody has asked for the first.
      highWaterMark: 16_384,
      // A request without a host is refused by serve.ts, in the common shape of errors.
      requireHostHeader: false,
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
    // Here server.close() would be wrong: it closes idle connections at once, and with them requests that are on their way.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
    for (const response of inWork) if (!response.headersSent) response.setHeader('connection', 'close')
    // `setImmediate` closes idle connections only after the event loop has read what has arrived: a connection with a new request is then no longer
    // idle.
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
 * Binds the server. With a given socket, connections that arrive while no gateway accepts wait for the next gateway (docs/decisions/0008). Otherwise
 * `reusePort` lets a new gateway listen before the old one stops; not every platform has it.
 */
async function bind(server: Server, { HOST: host, PORT: port, LISTEN_FDS: given, LISTEN_PID: givenTo }: ListenConfig): Promise<void> {
  const isGiven = given > 0 && (givenTo === 0 || givenTo === process.pid)
  try {
    // With `reusePort` a stop resets the connections not yet accepted, unless net.ipv4.tcp_migrate_req is 1. Measured with 20 clients that connect
    // for every request, on two busy cores: 5 to 7 resets a restart; with the setting none.
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
