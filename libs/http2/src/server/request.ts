/** A complete request. `body` is valid only during the call of `serve`; header names are in lower case. */
export type Request = { method: string; path: string; headers: Readonly<Record<string, string>>; body: Buffer }

/** The answer to a request. `ending` replaces the answer: `silence` leaves the request open for ever, `reset` ends it with RST_STREAM. */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  delayMs?: number
  ending?: 'silence' | 'reset'
}

export type Serve = (request: Request) => Answer

/** How a server treats the requests of a connection. */
export type Http2Options = {
  maxConcurrentStreams: number
  serve: Serve
  /** Says whether a new request is reset with REFUSED_STREAM before it is processed. */
  isRefused: () => boolean
  /** Says whether a new request that is not refused is reset with INTERNAL_ERROR before it is processed. */
  isReset?: () => boolean
  /** Is called when the connection's window should be opened: says whether the window is kept closed for now. */
  isStalled?: () => boolean
  /** Is called at the start of a connection: says whether each stream's window stays 0 until a moment after its HEADERS (RFC 9113, section 6.9.2). */
  isLate?: () => boolean
  /** Is called after each request until a GOAWAY is sent, with the number of requests on the connection so far: says whether to send a GOAWAY now. */
  isGoingAway: (requests: number) => boolean
  onProtocolError: (message: string) => void
}
