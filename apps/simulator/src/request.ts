/** One request, whichever HTTP version carried it. `body` is valid during the call only; header names are lower-case. */
export type Request = { method: string; path: string; headers: Readonly<Record<string, string>>; body: Buffer }

/**
 * What a service answers. `reason` is empty when the request was accepted, else the word the summary counts it under. `ending` says what happens instead of an
 * answer: `silence` leaves the request open for ever, `reset` breaks it off (RST_STREAM, or the socket on HTTP/1.1).
 */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  reason: string
  delayMs?: number
  ending?: 'silence' | 'reset'
}

export type Serve = (request: Request) => Answer
