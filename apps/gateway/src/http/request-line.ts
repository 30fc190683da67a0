import type { ServerResponse } from 'node:http'

/** What the log says of a request; never a key, a token, a body or a path with ids in it. */
export type RequestLine = { requestId: string; route: string; appId: string | undefined; traceId?: string; spanId?: string }

const lines = new WeakMap<ServerResponse, RequestLine>()

/** The line of the request that this response answers; it is filled while the request goes on its way. */
export function lineOf(response: ServerResponse): RequestLine {
  const begun = lines.get(response)
  if (begun) return begun
  const line: RequestLine = { requestId: '', route: 'unknown', appId: undefined }
  lines.set(response, line)
  return line
}
