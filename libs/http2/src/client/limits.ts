/** How much of this process one origin may use, and how long it waits. Times are in milliseconds. */
export type Limits = {
  /**
   * At most this many connections take requests at once. A further connection is opened only when requests wait because every open connection is
   * full.
   */
  connections: number
  /**
   * No new connection is opened while this many are draining (finishing their last requests). Without the limit a server that answers each connection
   * with GOAWAY could make the client open any number.
   */
  drainingConnections: number
  /** At most this many requests are open at once on a connection, even when the server allows more. */
  streams: number
  /**
   * At most this many requests are sent on a connection in its life. Each request needs a new stream number, and a connection has at most 2^30 of
   * them: the odd numbers of 31 bits.
   */
  requestsPerConnection: number
  /** At most this many requests wait for a free stream. A further request is answered `unsent` at once. */
  queuedRequests: number
  /**
   * While more than this many written bytes wait for the server to read them, the connection gets no new requests. The connection is ended when more
   * than four times as many wait.
   */
  bufferedBytes: number
  /** At most this many bytes of an answer's body are read. A longer body is cut there, and the request counts as answered all the same. */
  bodyBytes: number
  /** The time limit for the name look-up, TCP and TLS together. After that the server has the same time once more to send its SETTINGS. */
  connectMs: number
  /**
   * The pause after a connection failed, before the next one is made. It doubles with each further failure in a row, up to `longestBackoffMs`. Each
   * pause is then made shorter by a random 0 to 50 %.
   */
  backoffMs: number
  longestBackoffMs: number
  /**
   * When a connection has open requests and the server has sent no byte for this long, the client checks it by a PING. A connection without open
   * requests is checked after `idlePingMs`.
   */
  silentPingMs: number
  idlePingMs: number
  /** A connection on which nothing comes for this long after the PING counts as lost. */
  pingAnswerMs: number
}

export const usualLimits: Readonly<Limits> = {
  connections: 4,
  drainingConnections: 32,
  streams: 1_000,
  requestsPerConnection: 1_073_741_824,
  queuedRequests: 10_000,
  bufferedBytes: 262_144,
  bodyBytes: 65_536,
  connectMs: 10_000,
  backoffMs: 100,
  longestBackoffMs: 10_000,
  silentPingMs: 5_000,
  idlePingMs: 60_000,
  pingAnswerMs: 5_000,
}

/**
 * The most fields and bytes that the header list of an answer may have (SETTINGS_MAX_HEADER_LIST_SIZE). Providers' answers stay far below, with less
 * than 1 KB.
 */
export const headerListLimits = { fields: 128, bytes: 16_384 }

/**
 * How many bytes the server may send on all streams of a connection together before the client allows more. That is enough for 64 answers of the
 * largest size (`bodyBytes`), or for 1,000 answers of 4 KB.
 */
export const connectionWindow = 4_194_304
