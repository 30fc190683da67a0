import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { errorWord } from './reply.ts'

/** How connections to one origin are made. The server's certificate is always verified. */
export type DialOptions = {
  /** The host: a name or an IP address. */
  host: string
  port: number
  /** The name that the certificate must have and that the server is told (SNI); `host` when it is left out. */
  servername?: string | undefined
  /** The certificates to trust instead of those that Node trusts, as PEM. */
  ca?: string | Buffer | readonly (string | Buffer)[] | undefined
  /** Looks names up instead of the system. */
  lookup?: LookupFunction | undefined
  /**
   * Connects through a proxy; undefined when the server is reached directly. The address of such a connection is not checked, since it is the
   * proxy's. Rejects with an error whose code is a short word.
   */
  tunnel?: ((to: { host: string; port: number }, signal: AbortSignal) => Promise<Socket> | undefined) | undefined
  /** Makes the TCP connection. Without it node:net does. The socket may still be connecting. */
  connect?: ((to: { host: string; port: number }) => Socket) | undefined
  /** Gives a short word for why an address may not be connected to; undefined when it may. Called when TCP is connected, before a byte is written. */
  checkAddress?: ((address: string) => string | undefined) | undefined
  /** Whether to offer HTTP/1.1 as well, for servers without HTTP/2. */
  offerHttp1?: boolean | undefined
}

/** The result of connecting: a TLS connection and the protocol that both ends agreed on, or a short word for the failure. */
export type Dialed = { is: 'connected'; socket: TLSSocket; protocol: 'h2' | 'http/1.1' } | { is: 'failed'; reason: string }

/**
 * Cipher suites of TLS 1.3 and 1.2, all with forward secrecy and authenticated encryption. RFC 9113 section 9.2.2 allows an HTTP/2 server to end a
 * connection whose suite of TLS 1.2 lacks one of the two.
 */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/**
 * Connects by TCP or a tunnel, with TLS 1.2 or later and ALPN. `session` resumes a TLS session, `onSession` gets new ones. `done` is called once,
 * within `limitMs`. Gives a function that stops connecting.
 */
export function dial(
  options: DialOptions,
  limitMs: number,
  session: Buffer | undefined,
  onSession: (session: Buffer) => void,
  done: (dialed: Dialed) => void,
): () => void {
  const { host, port, servername = host, ca, lookup, checkAddress, offerHttp1 = false } = options
  const stopping = new AbortController()
  let tcp: Socket | undefined
  let tls: TLSSocket | undefined
  let isDone = false
  const finish = (dialed: Dialed) => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    if (dialed.is === 'failed') {
      stopping.abort()
      tls?.destroy()
      tcp?.destroy()
    }
    done(dialed)
  }
  const failed = (error: unknown) => finish({ is: 'failed', reason: errorWord(error) })
  const timer = setTimeout(() => finish({ is: 'failed', reason: 'CONNECT_TIMEOUT' }), limitMs)

  const secure = (socket: Socket) => {
    tls = connectTls({
      socket,
      host: servername,
      // The server is told a name and never an IP address (RFC 6066 section 3). The certificate must have the name or the address.
      servername: isIP(servername) ? '' : servername,
      ALPNProtocols: offerHttp1 ? ['h2', 'http/1.1'] : ['h2'],
      minVersion: 'TLSv1.2',
      ciphers,
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca: typeof ca === 'string' || Buffer.isBuffer(ca) ? ca : [...ca] }),
      ...(session && { session }),
    })
    tls.on('error', failed)
    tls.on('close', () => finish({ is: 'failed', reason: 'closed' }))
    tls.on('session', onSession)
    tls.on('secureConnect', () => {
      const connected = tls as TLSSocket
      const protocol = connected.alpnProtocol
      if (protocol === 'h2') finish({ is: 'connected', socket: connected, protocol })
      // The server has chosen HTTP/1.1, or it does not know ALPN; then it speaks HTTP/1.1 too.
      else if (offerHttp1) finish({ is: 'connected', socket: connected, protocol: 'http/1.1' })
      else finish({ is: 'failed', reason: 'NO_HTTP2' })
    })
  }
  const use = (socket: Socket) => {
    tcp = socket
    socket.on('error', failed)
    socket.on('close', () => finish({ is: 'failed', reason: 'closed' }))
  }
  const checked = (socket: Socket) => {
    const reason = checkAddress?.(socket.remoteAddress ?? '')
    if (reason !== undefined) finish({ is: 'failed', reason })
    else secure(socket)
  }
  const tunnel = options.tunnel?.({ host, port }, stopping.signal)
  if (tunnel)
    tunnel.then((socket) => {
      if (isDone) return void socket.destroy()
      use(socket)
      return secure(socket)
    }, failed)
  else {
    const socket = options.connect?.({ host, port }) ?? connectTcp({ host, port, noDelay: true, ...(lookup && { lookup }) })
    use(socket)
    if (socket.connecting) socket.once('connect', () => checked(socket))
    // Runs as a microtask, so that `done` is never called before this function has returned.
    else queueMicrotask(() => checked(socket))
  }
  return () => finish({ is: 'failed', reason: 'closed' })
}
