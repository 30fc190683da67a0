import type { Answer as Http2Answer, Request } from '@herald/http2/server/request'

export type { Request }

/**
 * What a service answers, whichever HTTP version carried the request. `reason` is empty when the request was accepted, else the word the summary counts it under.
 * On HTTP/1.1 the ending `reset` closes the socket.
 */
export type Answer = Http2Answer & { reason: string }

export type Serve = (request: Request) => Answer
