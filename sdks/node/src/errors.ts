/** The code of an error: one of Herald's, one of this SDK's, or one that only a newer Herald knows. */
export type HeraldErrorCode = ApiCode | SdkCode | (string & {})

/** All error codes that the API of this version answers. */
export type ApiCode =
  | 'unknown_kind'
  | 'invalid_msg_id'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'duplicate_name'
  | 'invalid_state'
  | 'limit_reached'
  | 'idempotency_in_progress'
  | 'not_an_experiment'
  | 'still_sending'
  | 'no_remainder'
  | 'winner_already_sent'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'invalid_body'
  | 'invalid_segment'
  | 'idempotency_key_reused'
  | 'unknown_variant'
  | 'rate_limited'
  | 'internal'
  | 'database_unavailable'
  | 'queue_unavailable'

/**
 * Codes of the errors that the SDK itself finds. The first three are for a call without a usable answer in time; the other four are for a webhook
 * delivery that cannot be trusted.
 */
export type SdkCode = 'network_error' | 'timeout' | 'invalid_answer' | 'malformed' | 'bad_signature' | 'too_old' | 'too_new'

/** What is wrong with one field of a request. `path` names the field, such as `content.en.title`. */
export type HeraldErrorDetail = { path: string; message: string }

type About = {
  code: HeraldErrorCode
  status: number
  message: string
  details?: readonly HeraldErrorDetail[] | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/**
 * The error with which the SDK rejects a call that Herald refused or did not answer, or an untrusted webhook delivery. It contains no key, device
 * token or request body, so it may be logged.
 */
export class HeraldError extends Error {
  readonly code: HeraldErrorCode
  /** The HTTP status of the answer; 0 when there was no answer, and 400 for a webhook delivery that cannot be trusted. */
  readonly status: number
  readonly details: readonly HeraldErrorDetail[]
  /** The id of the request in Herald's log. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ code, status, message, details = [], requestId, retryAfterSeconds, cause }: About) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'HeraldError'
    this.code = code
    this.status = status
    this.details = details
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }

  /**
   * Says whether the error has this code. The parameter's type allows the codes of this SDK's version only, so that an editor can complete them. For
   * a code of a newer Herald compare `code`.
   */
  is(code: ApiCode | SdkCode): boolean {
    return this.code === code
  }

  /** Gives what is wrong with a field, such as `error.at('content.en.title')`; undefined when nothing is. */
  at(path: string): string | undefined {
    return this.details.find((detail) => detail.path === path)?.message
  }
}

/** Makes the error of an answer. An answer that is not in the form of Herald's errors, such as a proxy's page, gets the code `invalid_answer`. */
export function errorOfAnswer(status: number, headers: Headers, text: string, sentRequestId: string): HeraldError {
  const requestId = headers.get('x-request-id') ?? sentRequestId
  const retryAfterSeconds = secondsOf(headers.get('retry-after'))
  const said = readError(text)
  if (said) return new HeraldError({ ...said, status, requestId, retryAfterSeconds })
  const hint =
    status >= 300 && status < 400 ? ' Give the address that it points to as baseUrl.' : ' Something between here and Herald answered.'
  const message = `The answer ${status} is not one of Herald.${hint}`
  return new HeraldError({ code: 'invalid_answer', status, message, requestId, retryAfterSeconds })
}

function readError(text: string): { code: string; message: string; details?: HeraldErrorDetail[] } | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; details?: HeraldErrorDetail[] } }
    if (typeof error?.code !== 'string' || typeof error.message !== 'string') return undefined
    return { code: error.code, message: error.message, ...(Array.isArray(error.details) ? { details: error.details } : {}) }
  } catch {
    return undefined
  }
}

/**
 * Reads a `retry-after` header as seconds from now: whole seconds, or an HTTP date (RFC 9110, 10.2.3). Undefined for anything else, such as -1 or
 * 1.5, which `Date.parse` would take for a date.
 */
export function secondsOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = httpDate.test(header) ? Date.parse(header.endsWith('GMT') ? header : `${header} GMT`) : Number.NaN
  // `Date.parse` takes 31 February for 3 March. In all three forms the day is the first number.
  return new Date(at).getUTCDate() !== Number(/\d+/.exec(header)?.[0]) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

/** The forms of a date in HTTP (RFC 9110, 5.6.7): the present one, and the two old ones that a reader must take too. */
const httpDate =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/
