import { createServer } from 'node:net'

/**
 * A TCP port of 127.0.0.1 that nobody listens on at this moment. Postgres knows no port 0, so the port is picked here and
 * may be lost to another process before it is used: who starts a server on it must be ready to pick again.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      if (address === null || typeof address === 'string') reject(new Error('A TCP server has no port.'))
      else probe.close(() => resolve(address.port))
    })
  })
}

/** Whether a port can be listened on now. A server with SO_REUSEPORT counts as taken, which listening with it would not show. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
