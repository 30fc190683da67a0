/** How much of this process one origin may take, and how long it waits. Times are in milliseconds. */
export type Limits = {
  /** How many connections there are at once. Another one is opened when all are full. */
  connections: number
  /** How many connections may be finishing their last requests after a GOAWAY. With so many no new one is opened, because a peer could send GOAWAY on one after the other. */
  drainingConnections: number
  /** How many requests one connection has open at once, also when the peer allows more. */
  streams: number
  /** How many requests one connection carries in its life. The number of a stream has 31 bits, and every second number is ours. */
  requestsPerConnection: number
  /** How many requests may wait for room. One more is `unsent` at once. */
  queuedRequests: number
  /** How many bytes may be written that the peer has not taken. Above this a connection gets no new requests until the peer has taken them. */
  bufferedBytes: number
  /** How much is read of an answer's body. A longer body is broken off there, and the answer counts. */
  bodyBytes: number
  /** The limit from looking the name up until the peer's SETTINGS. */
  connectMs: number
  /** The pause after the first failed connection. It doubles with each further one, and is 0 to 50 % shorter by chance. */
  backoffMs: number
  longestBackoffMs: number
  /** After so much silence a connection with open requests is asked by PING whether it lives. An idle one is asked after `idlePingMs`. */
  silentPingMs: number
  idlePingMs: number
  /** A connection that shows no sign of life for so long after the PING is lost. */
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

/** How large the header list of an answer may be (SETTINGS_MAX_HEADER_LIST_SIZE). Those of push services have less than 1 KB. */
export const headerListLimits = { fields: 128, bytes: 16_384 }

/** How many bytes all streams of a connection may send us without our widening the window. 64 answers of the largest size are more than push services ever have on their way. */
export const connectionWindow = 4_194_304
