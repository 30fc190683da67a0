/** What one origin may take of this process, and how long it waits. Times are milliseconds. */
export type Limits = {
  /** Connections at once. Another one is opened when all are full. */
  connections: number
  /** Connections beside those that only finish their last requests, after a GOAWAY. With so many of them no new one is opened: a peer could say GOAWAY to one after the other. */
  drainingConnections: number
  /** Requests open on one connection at once, also when the peer allows more. */
  streams: number
  /** Requests that one connection carries in its life. A stream's number has 31 bits and every second one is ours. */
  requestsPerConnection: number
  /** Requests that wait for room. One more is `unsent` at once. */
  queuedRequests: number
  /** Bytes that were written and not taken by the peer: over this, a connection gets no new requests until it has drained. */
  bufferedBytes: number
  /** The most that is read of an answer's body. A longer one is broken off there, and the answer counts. */
  bodyBytes: number
  /** From the look-up of the name until the SETTINGS of the peer. */
  connectMs: number
  /** The pause after the first failed connection; it doubles with each further one, with 0 to 50 % less by chance. */
  backoffMs: number
  longestBackoffMs: number
  /** A connection with open requests that was silent for so long is asked by PING whether it lives, an idle one after `idlePingMs`. */
  silentPingMs: number
  idlePingMs: number
  /** Without a sign of life for so long after the PING, the connection is lost. */
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

/** An answer's header list (SETTINGS_MAX_HEADER_LIST_SIZE). Those of push services have under 1 KB. */
export const headerListLimits = { fields: 128, bytes: 16_384 }

/** What all streams of a connection together may send us unasked. 64 answers of the largest size are more than push services ever have on their way. */
export const connectionWindow = 4_194_304
