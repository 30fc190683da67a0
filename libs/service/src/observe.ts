import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Lifecycle } from './lifecycle.ts'
import type { Log } from './log.ts'

/**
 * At most this many connections to the listener are open; a further one is closed at once. That is enough for health probes and one or two scrapers.
 */
const mostConnections = 32
const requestTimeoutMs = 5_000

/**
 * Opens the process's listener for `/livez`, `/readyz` (503 with what a service waits for) and `/metrics`, for the whole life of the process. When
 * its port is taken it logs an error and uses a free one. Gives the port.
 */
export async function openObservation(
  { HOST: host, OBSERVE_PORT: port }: { HOST: string; OBSERVE_PORT: number },
  { waitingFor, onStop, text, log }: Pick<Lifecycle, 'waitingFor' | 'onStop'> & { text: () => Promise<string>; log: Log },
): Promise<number> {
  const answer = async (path: string, response: ServerResponse) => {
    if (path === '/livez') return json(response, 200, { status: 'alive' })
    if (path === '/readyz') {
      const missing = waitingFor()
      return missing.length === 0
        ? json(response, 200, { status: 'ready' })
        : json(response, 503, { status: 'waiting', waitingFor: missing })
    }
    if (path !== '/metrics') return json(response, 404, { status: 'unknown path' })
    const metrics = await text()
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics)
  }
  const server = createServer({ requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 1_000 }, (request, response) => {
    const path = (request.url ?? '').replace(/\?.*/s, '')
    answer(path, response).catch((error: unknown) => {
      log.error({ path, err: error }, 'observation failed')
      response.destroy()
    })
  })
  server.maxConnections = mostConnections
  const bound = await listenOn(server, port, host).catch(async (error: unknown) => {
    const instead = await listenOn(server, 0, host)
    log.error({ host, port, instead, err: error }, 'OBSERVE_PORT cannot be listened on')
    return instead
  })
  server.unref()
  onStop('observation', () => {
    server.close()
    server.closeAllConnections()
  })
  log.info({ host, port: bound }, 'observable')
  return bound
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}

function listenOn(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
