import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { getSystemErrorName } from 'node:util'

/**
 * A TCP port that is bound until `close`. A child process that gets `fd` (in `stdio`) listens; clients then wait in the socket's queue, even when
 * that child ends. No other child inherits the socket.
 */
export type HeldPort = {
  port: number
  /** The file descriptor; negative after `close`. */
  readonly fd: number
  close: () => void
}

type Handle = { fd: number; getsockname: (address: { port?: number }) => number; close: () => void }

/**
 * Binds a port without listening, as node:cluster does with the same undocumented function. A `net.Server` would accept connections in this process.
 */
const { _createServerHandle: bindTcp } = net as typeof net & {
  _createServerHandle: (address: string, port: number, family: number) => Handle | number
}

/**
 * Binds a port of an address or name of this machine; 0 chooses a free one. Throws an Error with the `code` of the failure (EADDRINUSE, EACCES, …).
 */
export async function holdPort(port: number, host = '127.0.0.1'): Promise<HeldPort> {
  const { address, family } = await lookup(host)
  const handle = bindTcp(address, port, family)
  if (typeof handle === 'number') throw cannotBind(handle)
  const bound: { port?: number } = {}
  // Binding does not report a taken port; reading the bound address does.
  const failure = handle.getsockname(bound)
  if (failure !== 0 || bound.port === undefined) {
    handle.close()
    throw cannotBind(failure)
  }
  return {
    port: bound.port,
    get fd() {
      return handle.fd
    },
    close: () => handle.close(),
  }
}

function cannotBind(failure: number): Error {
  const code = getSystemErrorName(failure)
  return Object.assign(new Error(`bind ${code}`), { code })
}
