/** Every error code a caller may see, with its HTTP status (spec: limits/error-codes). A closed table. */
export const faultStatus = {
  unknown_kind: 400,
  invalid_msg_id: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  duplicate_name: 409,
  invalid_state: 409,
  limit_reached: 409,
  idempotency_in_progress: 409,
  not_an_experiment: 409,
  still_sending: 409,
  no_remainder: 409,
  winner_already_sent: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_body: 422,
  invalid_segment: 422,
  idempotency_key_reused: 422,
  unknown_variant: 422,
  rate_limited: 429,
  internal: 500,
  database_unavailable: 503,
  queue_unavailable: 503,
} as const

export type FaultCode = keyof typeof faultStatus
export type FaultDetail = { path: string; message: string }

/**
 * What a caller may see of a failure: a code of the closed table, a public sentence, details with field paths. `cause`
 * is for the log and is never sent. `retryAfterSeconds` becomes the header Retry-After. A Fault crosses NATS as `{code, message, details,
 * retryAfterSeconds}` and is thrown again on the other side.
 */
export class Fault extends Error {
  readonly code: FaultCode
  readonly details: FaultDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: FaultCode, message: string, details?: FaultDetail[], cause?: unknown, retryAfterSeconds?: number) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Fault'
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }

  get status(): number {
    return faultStatus[this.code]
  }

  static is(error: unknown, code?: FaultCode): error is Fault {
    return error instanceof Fault && (code === undefined || error.code === code)
  }
}

/** A Fault to throw, in the order a sentence reads: code, public message, details. */
export const fault = (code: FaultCode, message: string, details?: FaultDetail[]): Fault => new Fault(code, message, details)

/** One field is wrong: the same words in the message and at the field's path. */
export const invalidField = (path: string, message: string): Fault =>
  new Fault('invalid_body', path === '' ? `The body ${message}` : `${path} ${message}`, [{ path, message }])

/** The answer for an id that is unknown, and for one of another app. It is the same, so that a caller cannot tell them apart (spec: limits/foreign-ids). */
export const notFound = (): Fault => new Fault('not_found', 'Not found.')

/** The database of an app is away or frozen. Nothing was done, and the same request may be sent again. */
export const databaseUnavailable = (): Fault => new Fault('database_unavailable', 'The database is unavailable. Try again shortly.')

/** A read cannot be served now, because too many are under way or it took too long. The request itself is right. */
export const tooManyReads = (retryAfterSeconds: number): Fault =>
  new Fault('rate_limited', `Too many reads at once. Try again in ${retryAfterSeconds} seconds.`, undefined, undefined, retryAfterSeconds)

/** The database is there, but an app or the queue store is not, or the database is too busy for this request. */
export const queueUnavailable = (): Fault => new Fault('queue_unavailable', 'A part of the service is unavailable. Try again shortly.')
