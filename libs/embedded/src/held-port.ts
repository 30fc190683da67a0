import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { getSystemErrorName } from 'node:util'

/**
 * A TCP port that is bound for as long as this is open. Nothing listens on it until a child process that was given `fd` (in `stdio`) does;
 * from then on who connects waits in the socket's queue, whatever becomes of the child. No other child inherits it.
 */
export type HeldPort = {
  port: number
  /** Negative once it is closed. */
  readonly fd: number
  close: () => void
}

type Handle = { fd: number; getsockname: (address: { port?: number }) => number; close: () => void }

/** A `net.Server` would accept connections here. This binds alone; node:cluster makes what it shares with it, but it is not documented. */
const { _createServerHandle: bindTcp } = net as typeof net & {
  _createServerHandle: (address: string, port: number, family: number) => Handle | number
}

/** Binds a port of an address or name of this machine; 0 picks a free one. Throws an Error with the `code` of what went wrong (EADDRINUSE, EACCES, …). */
export async function holdPort(port: number, host = '127.0.0.1'): Promise<HeldPort> {
  const { address, family } = await lookup(host)
  const handle = bindTcp(address, port, family)
  if (typeof handle === 'number') throw cannotBind(handle)
  const bound: { port?: number } = {}
  // Only here is a taken port told.
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
