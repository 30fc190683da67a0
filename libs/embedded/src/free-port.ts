import { createServer } from 'node:net'

/**
 * Finds a TCP port of 127.0.0.1 on which no process listens, because Postgres cannot choose one (port 0). Another process may take it first, so the
 * caller must be ready to find another.
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

/** Says whether a process could listen on this port now. A port on which a server listens with SO_REUSEPORT counts as taken. */
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
