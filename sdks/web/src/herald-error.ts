/** What went wrong, in one word. Codes of the API (`forbidden`, `invalid_body`, `rate_limited`, …) come through as they are. */
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
  // Codes of the API, also those of a later version.
  | (string & {})

/** One field of a request that the API refused. */
export type ErrorDetail = { path: string; message: string }

type About = {
  status?: number
  details?: ErrorDetail[]
  requestId?: string | null | undefined
}

/** The one error of this SDK. It holds no endpoint, key or external id, so it can be logged as it is. */
export class HeraldError extends Error {
  declare readonly code: ErrorCode
  /** The HTTP status; 0 when no answer came. */
  declare readonly status: number
  declare readonly details: ErrorDetail[]
  /** Names the request in the logs of your Herald. */
  declare readonly requestId: string | null | undefined

  constructor(code: ErrorCode, message: string, about?: About) {
    super(message)
    Object.assign(this, { name: 'HeraldError', status: 0, details: [], ...about, code })
  }
}

/** Whether the same request may succeed later: no answer came, or the server asks for patience. */
export const isTemporary = ({ status }: HeraldError): boolean => !status || status === 429 || status >= 500

const messages = {
  unsupported: 'No pushes here.',
  opted_out: 'Call optIn() first.',
  not_ready: 'Await ready first.',
  gesture_required: 'Call subscribe() in a click.',
  permission_denied: 'Allow it in the browser settings.',
  permission_dismissed: 'Not allowed now.',
  push_service_failed: 'No push service, or a wrong key.',
  identity_token_failed: 'identityToken() failed.',
  worker_failed: 'No worker at workerUrl.',
  internal: 'The browser failed.',
}

/** Makes an error of this SDK. */
export const failed = (code: keyof typeof messages): HeraldError => new HeraldError(code, messages[code])

/** Turns whatever was thrown into a HeraldError. An error of another kind came from the browser. */
export const asHeraldError = (error: unknown): HeraldError => (error instanceof HeraldError ? error : failed('internal'))
