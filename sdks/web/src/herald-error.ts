/** The code of an error: one of the SDK's own, or one that the API answered, such as `forbidden` or `rate_limited`. */
export type ErrorCode =
  | 'invalid_option'
  | 'unsupported'
  | 'not_ready'
  | 'gesture_required'
  | 'permission_denied'
  | 'permission_dismissed'
  | 'opted_out'
  | 'not_subscribed'
  | 'worker_failed'
  | 'push_service_failed'
  | 'identity_token_failed'
  | 'network'
  // Any code of the API, also of a later version.
  | (string & {})

/** What is wrong with one field of a request that the API refused. */
export type ErrorDetail = { path: string; message: string }

type About = {
  status?: number
  details?: ErrorDetail[]
  requestId?: string | null | undefined
  cause?: unknown
}

/** The error with which the SDK rejects a call. It contains no endpoint, key or external id, so it may be logged. */
export class HeraldError extends Error {
  declare readonly code: ErrorCode
  /** The HTTP status of the answer; 0 when there was no answer, or the error is the SDK's own. */
  declare readonly status: number
  declare readonly details: ErrorDetail[]
  /** The id of the request in Herald's log. */
  declare readonly requestId: string | null | undefined

  constructor(code: ErrorCode, message: string, about?: About) {
    super(message)
    Object.assign(this, { name: 'HeraldError', status: 0, details: [], ...about, code })
  }
}

/** Whether the same may succeed later: the status of the answer is 429 or 5xx, or there was none, as in errors of the SDK's own. */
export const isTemporary = ({ status }: HeraldError): boolean => !status || status === 429 || status >= 500

/** Makes an error with one of the SDK's own codes. The README says of each what to do. */
export const failed = (code: ErrorCode, about?: About): HeraldError => new HeraldError(code, `Herald: ${code}`, about)

/** Gives a thrown HeraldError unchanged. Any other error came from the browser and becomes one with the code `internal`. */
export const asHeraldError = (error: unknown): HeraldError => (error instanceof HeraldError ? error : failed('internal'))
