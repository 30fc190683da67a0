/**
 * What came of one request. Whatever the peer or the network does is a value; only our own mistakes are thrown.
 * `reason` is one short word of ours or of the system (ECONNREFUSED, REFUSED_STREAM, …): never a path, a header or text of the peer's.
 */
export type Reply =
  /** A whole answer, or one whose body was cut at `Limits.bodyBytes`. Header names are in lower case. A name that came twice has both values, with ", " between them. */
  | { is: 'answered'; status: number; headers: ReadonlyMap<string, string>; body: Buffer }
  /** There was a connection, and the peer surely did not process this request (RFC 9113 section 8.7): it answered REFUSED_STREAM or a GOAWAY with a lower last stream, or the request was not written yet. */
  | { is: 'refused'; reason: string }
  /** Nothing of the request left this process: there was no connection, or no room on one within the time limit. */
  | { is: 'unsent'; reason: string }
  /** Bytes may have arrived, and no whole answer came. */
  | { is: 'unanswered'; why: 'timeout' | 'broken'; reason: string }

/** Gives the code of a system's or a library's error, if it is a plain word. */
export function errorWord(error: unknown): string {
  const code: unknown = error instanceof Object ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : 'failed'
}
