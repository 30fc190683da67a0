/**
 * What came of one request. Whatever the server or network does is a value; only Herald's own mistakes are thrown. `reason` is one word of this
 * library or the system, such as ECONNREFUSED, never a path, header or server's text.
 */
export type Reply =
  /** A complete answer, or one whose body was cut at `Limits.bodyBytes`. Header names are in lower case; values of one name are joined by ", ". */
  | { is: 'answered'; status: number; headers: ReadonlyMap<string, string>; body: Buffer }
  /**
   * There was a connection, and the server surely did not process this request (RFC 9113 section 8.7): it answered REFUSED_STREAM or a GOAWAY with a
   * lower last stream, or the request was not written yet.
   */
  | { is: 'refused'; reason: string }
  /**
   * Nothing of the request left this process: no connection could be made, none could begin another stream within the time limit, too many requests
   * were waiting, the server speaks HTTP/1.1, or the client was closed.
   */
  | { is: 'unsent'; reason: string }
  /** Bytes of the request may have arrived, and no complete answer that obeys HTTP/2 came. */
  | { is: 'unanswered'; why: 'timeout' | 'broken'; reason: string }

/** Gives the code of an error of the system or a library; `failed` when the code is not a plain word. */
export function errorWord(error: unknown): string {
  const code: unknown = error instanceof Object ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : 'failed'
}
