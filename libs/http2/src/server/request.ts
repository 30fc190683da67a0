/** One whole request. `body` is valid only during the call; header names are in lower case. */
export type Request = { method: string; path: string; headers: Readonly<Record<string, string>>; body: Buffer }

/** The answer to a request. `ending` says what happens instead of an answer: `silence` leaves the request open for ever, `reset` breaks it off (RST_STREAM). */
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
  /** Asked for each request: whether it is broken off unprocessed, as REFUSED_STREAM. */
  isRefused: () => boolean
  /** Asked for each request: whether it is broken off unprocessed, as INTERNAL_ERROR. */
  isReset?: () => boolean
  /** Asked when the connection's window should be opened again: whether it is left as it is for now. */
  isStalled?: () => boolean
  /** Asked after each request, with how many requests the connection has had: whether GOAWAY is sent now. */
  isGoingAway: (requests: number) => boolean
  onProtocolError: (message: string) => void
}
