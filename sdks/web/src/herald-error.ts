/** The code of an error: one of the SDK's own, or one that the API answered, such as `forbidden` or `rate_limited`. */
export type ErrorCode =
  | 'invalid_option'
  | 'unsupported'
  | 'not_ready'
  | 'gesture_required'
  | 'permission_denied'
  | 'permission_dismissed'
  | 'opted_out'
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

const messages = {
  unsupported: 'Not supported.',
  opted_out: 'Call optIn().',
  not_ready: 'Await ready.',
  gesture_required: 'Call it in a click.',
  permission_denied: 'Denied.',
  permission_dismissed: 'Not now.',
  push_service_failed: 'No service or wrong key.',
  identity_token_failed: 'identityToken() failed.',
  worker_failed: 'No worker.',
  internal: 'Browser failed.',
}

/** Makes an error with one of the SDK's own codes. */
export const failed = (code: keyof typeof messages): HeraldError => new HeraldError(code, messages[code])

/** Gives a thrown HeraldError unchanged. Any other error came from the browser and becomes one with the code `internal`. */
export const asHeraldError = (error: unknown): HeraldError => (error instanceof HeraldError ? error : failed('internal'))
