/** One request, complete. `body` is valid during the call only; header names are lower-case. */
export type Request = { method: string; path: string; headers: Readonly<Record<string, string>>; body: Buffer }

/** What is answered. `ending` says what happens instead of an answer: `silence` leaves the request open for ever, `reset` breaks it off (RST_STREAM). */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  delayMs?: number
  ending?: 'silence' | 'reset'
}

export type Serve = (request: Request) => Answer

/** What a server does with the requests of a connection. */
export type Http2Options = {
  maxConcurrentStreams: number
  serve: Serve
  /** Asked per request: break it off as REFUSED_STREAM, unprocessed? */
  isRefused: () => boolean
  /** Asked per request: break it off as INTERNAL_ERROR, unprocessed? */
  isReset?: () => boolean
  /** Asked when the connection's window should be opened again: leave it as it is for now? */
  isStalled?: () => boolean
  /** Asked after each request, with how many this connection has had: say GOAWAY now? */
  isGoingAway: (requests: number) => boolean
  onProtocolError: (message: string) => void
}
