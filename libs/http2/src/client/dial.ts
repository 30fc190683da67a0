import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { errorWord } from './reply.ts'

/** How connections to one origin are made. The certificate of the peer is always verified. */
export type DialOptions = {
  /** A name or an address. */
  host: string
  port: number
  /** The name the certificate must have and the peer is told (SNI); `host` unless given. */
  servername?: string | undefined
  /** Certificates to trust instead of the system's, PEM. */
  ca?: string | Buffer | readonly (string | Buffer)[] | undefined
  /** Resolves names instead of the system. */
  lookup?: LookupFunction | undefined
  /** Makes the TCP connection instead of node:net: it may be connecting still. */
  connect?: ((to: { host: string; port: number }) => Socket) | undefined
  /** May this address be talked to? Asked when TCP is connected and before a byte is written. An answer is the reason why not, a short word. */
  checkAddress?: ((address: string) => string | undefined) | undefined
  /** Offer HTTP/1.1 as well, for peers that have nothing better. */
  offerHttp1?: boolean | undefined
}

/** What became of it: a TLS connection and what it speaks, or the word of the system or of TLS for why not. */
export type Dialed = { is: 'connected'; socket: TLSSocket; protocol: 'h2' | 'http/1.1' } | { is: 'failed'; reason: string }

/**
 * The cipher suites of TLS 1.3, and of TLS 1.2 those with forward secrecy and authenticated encryption: RFC 9113 section 9.2.2 allows an HTTP/2 peer to hang up on any other.
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
 * Connect: look the name up, TCP, the check of the address, TLS 1.2 or later with ALPN. `session` resumes an earlier TLS session; `onSession` hears of new ones.
 * `done` is called once, at the latest after `limitMs`. Returns a function that gives up.
 */
export function dial(
  options: DialOptions,
  limitMs: number,
  session: Buffer | undefined,
  onSession: (session: Buffer) => void,
  done: (dialed: Dialed) => void,
): () => void {
  const { host, port, servername = host, ca, lookup, checkAddress, offerHttp1 = false } = options
  let tls: TLSSocket | undefined
  let isDone = false
  const finish = (dialed: Dialed) => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    if (dialed.is === 'failed') {
      tls?.destroy()
      tcp.destroy()
    }
    done(dialed)
  }
  const failed = (error: unknown) => finish({ is: 'failed', reason: errorWord(error) })
  const timer = setTimeout(() => finish({ is: 'failed', reason: 'CONNECT_TIMEOUT' }), limitMs)

  const tcp = options.connect?.({ host, port }) ?? connectTcp({ host, port, noDelay: true, ...(lookup && { lookup }) })
  tcp.on('error', failed)
  tcp.on('close', () => finish({ is: 'failed', reason: 'closed' }))
  const secure = () => {
    const reason = checkAddress?.(tcp.remoteAddress ?? '')
    if (reason !== undefined) return finish({ is: 'failed', reason })
    tls = connectTls({
      socket: tcp,
      host: servername,
      // A name is told, an address is not (RFC 6066 section 3); the certificate must have either.
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
      const socket = tls as TLSSocket
      const protocol = socket.alpnProtocol
      if (protocol === 'h2') finish({ is: 'connected', socket, protocol })
      // A peer that knows no ALPN speaks HTTP/1.1.
      else if (offerHttp1) finish({ is: 'connected', socket, protocol: 'http/1.1' })
      else finish({ is: 'failed', reason: 'NO_HTTP2' })
    })
  }
  if (tcp.connecting) tcp.once('connect', secure)
  else secure()
  return () => finish({ is: 'failed', reason: 'closed' })
}
