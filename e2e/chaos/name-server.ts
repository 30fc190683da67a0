import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A loopback address on whose port 53 no other program listens. */
const address = '127.0.0.153'

/**
 * Runs work beside a name server that answers no question. A command that is started with `launcher` in front sees a file system in which this is the
 * only name server. Needs root.
 */
export async function withSilentNameServer<T>(work: (server: { launcher: string[] }) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-names-'))
  const configuration = join(directory, 'resolv.conf')
  writeFileSync(configuration, `nameserver ${address}\n`)
  const server = createSocket('udp4')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.bind(53, address, resolve)
  })
  try {
    const mounted = `mount --bind ${configuration} /etc/resolv.conf && exec "$0" "$@"`
    return await work({ launcher: ['unshare', '--mount', 'sh', '-c', mounted] })
  } finally {
    server.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
