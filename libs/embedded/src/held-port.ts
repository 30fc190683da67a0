import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { getSystemErrorName } from 'node:util'

/**
 * A TCP port that is bound as long as this is open. No process listens on it until a child process that was given `fd` (in `stdio`) does. From then
 * on clients that connect wait in the socket's queue, also when the child ends. No other child inherits the socket.
 */
export type HeldPort = {
  port: number
  /** The file descriptor; negative once it is closed. */
  readonly fd: number
  close: () => void
}

type Handle = { fd: number; getsockname: (address: { port?: number }) => number; close: () => void }

/** Binds a port and does not listen, while a `net.Server` would accept connections in this process. node:cluster uses this function too, but it is not documented. */
const { _createServerHandle: bindTcp } = net as typeof net & {
  _createServerHandle: (address: string, port: number, family: number) => Handle | number
}

/** Binds a port of an address or name of this machine; 0 picks a free one. Throws an Error with the `code` of what went wrong (EADDRINUSE, EACCES, …). */
export async function holdPort(port: number, host = '127.0.0.1'): Promise<HeldPort> {
  const { address, family } = await lookup(host)
  const handle = bindTcp(address, port, family)
  if (typeof handle === 'number') throw cannotBind(handle)
  const bound: { port?: number } = {}
  // A taken port is an error only here, not when it is bound.
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
