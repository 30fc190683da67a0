import type { Answer as Http2Answer, Request } from '@herald/http2/server/request'

export type { Request }

/**
 * What a simulated provider answers, in any version of HTTP. `reason` is empty when the request was accepted; the summary counts refusals by
 * provider, status and reason. On HTTP/1.1 the ending `reset` closes the socket.
 */
export type Answer = Http2Answer & { reason: string }

export type Serve = (request: Request) => Answer

/** Gives the JSON of a body; undefined when the body is not JSON. */
export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown
  } catch {
    return undefined
  }
}

/** Gives a field of a value; undefined when the value is no object. */
export const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
