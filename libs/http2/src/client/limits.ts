/** How much of this process one origin may use, and how long it waits. Times are in milliseconds. */
export type Limits = {
  /** At most this many connections take requests at once. Another one is opened when requests wait because all are full. */
  connections: number
  /**
   * While this many connections take no new requests and are finishing their last ones, no new connection is opened, because a server could send
   * GOAWAY on one connection after another.
   */
  drainingConnections: number
  /** At most this many requests are open at once on a connection, even when the server allows more. */
  streams: number
  /** At most this many requests are sent on a connection in its life. A stream number has 31 bits, and only the odd numbers belong to the client. */
  requestsPerConnection: number
  /** At most this many requests wait for a free stream. One more is `unsent` at once. */
  queuedRequests: number
  /**
   * While more than this many written bytes wait for the server to read them, the connection gets no new requests. Above four times as many it ends.
   */
  bufferedBytes: number
  /** At most this much of an answer's body is read. A longer body is cut there, and the answer counts. */
  bodyBytes: number
  /** The time limit for looking the name up, TCP and TLS together. Then the server has as long again for its SETTINGS. */
  connectMs: number
  /** The pause after the first failed connection. It doubles with each further one, up to `longestBackoffMs`, and is 0 to 50 % shorter by chance. */
  backoffMs: number
  longestBackoffMs: number
  /** After this long without a byte from the server, a connection with open requests is checked by a PING; an idle one after `idlePingMs`. */
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

/** How large the header list of an answer may be (SETTINGS_MAX_HEADER_LIST_SIZE). Header lists of providers have less than 1 KB. */
export const headerListLimits = { fields: 128, bytes: 16_384 }

/**
 * How many bytes the server may send on all streams of a connection before the client allows more: 64 answers of the largest size, or 1,000 answers
 * of 4 KB.
 */
export const connectionWindow = 4_194_304
