/** Every code that Herald answers, and what this SDK adds to them. A newer Herald may answer others. */
export type HeraldErrorCode = ApiCode | SdkCode | (string & {})

/** The closed table of the API (https error codes), as of this version. */
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

/** Codes of this SDK itself: no usable answer came (status 0 when none came at all), or a webhook cannot be trusted. */
export type SdkCode = 'network_error' | 'timeout' | 'invalid_answer' | 'malformed' | 'bad_signature' | 'too_old' | 'too_new'

/** A field that is wrong. `path` is that of the request, such as `content.en.title`. */
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

/** The one error of this SDK. It holds no key, no device token and no body of a request. */
export class HeraldError extends Error {
  readonly code: HeraldErrorCode
  /** The HTTP status of the answer; 0 when no answer came. */
  readonly status: number
  readonly details: readonly HeraldErrorDetail[]
  /** Finds the request in Herald's log. */
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
   * Whether the error has this code. The parameter's type lists the codes of this SDK version, for completion in an editor. For a code of a
   * newer Herald, compare `code`.
   */
  is(code: ApiCode | SdkCode): boolean {
    return this.code === code
  }

  /** What is wrong with a field, or undefined: `error.at('content.en.title')`. */
  at(path: string): string | undefined {
    return this.details.find((detail) => detail.path === path)?.message
  }
}

/** Reads the error from an answer. An answer in another form, such as a proxy's page, has the code `invalid_answer`. */
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

/** Retry-After in seconds from now. The header holds a number of seconds or a date (RFC 9110, 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
