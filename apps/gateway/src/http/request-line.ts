import type { ServerResponse } from 'node:http'

/** What the log says of a request; never a key, a token, a body or a path with ids in it. */
export type RequestLine = { requestId: string; route: string; appId: string | undefined; traceId?: string; spanId?: string }

/** Kept on the response itself: a WeakMap costs the garbage collector a look at each of its keys. */
const key = Symbol('request line')
type Lined = ServerResponse & { [key]?: RequestLine }

/** The log line of the request that this response answers. It is filled in while the request is worked on. */
export const lineOf = (response: Lined): RequestLine => (response[key] ??= { requestId: '', route: 'unknown', appId: undefined })
