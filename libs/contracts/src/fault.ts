/** Every error code that an API client may see, with its HTTP status (spec: limits/error-codes). The API answers with no other code. */
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
 * An error whose code, message and details an API client may see. `cause` is for the log and never sent. `retryAfterSeconds` becomes the header
 * Retry-After. A Fault crosses NATS and is thrown again in the calling service.
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

/** Makes a Fault to throw, from a code, a public message and details. */
export const fault = (code: FaultCode, message: string, details?: FaultDetail[]): Fault => new Fault(code, message, details)

/** Makes the Fault for one wrong field. Its message and its detail name the field, or the whole body, and say what is wrong. */
export const invalidField = (path: string, message: string): Fault =>
  new Fault('invalid_body', path === '' ? `The body ${message}` : `${path} ${message}`, [{ path, message }])

/**
 * Makes the Fault for an id that is unknown or belongs to another app. Both get the same answer, so that a client cannot tell them apart
 * (spec: limits/foreign-ids).
 */
export const notFound = (): Fault => new Fault('not_found', 'Not found.')

/** Makes the Fault for an unknown id in a field of a request. The detail tells the client that the field is wrong and not the address of the request. */
export const unknownId = (path: string): Fault =>
  new Fault('not_found', `${path} names nothing in this app.`, [{ path, message: 'names nothing in this app' }])

/** Makes the Fault for a database that is away or frozen. The client may send the same request again. */
export const databaseUnavailable = (): Fault => new Fault('database_unavailable', 'The database is unavailable. Try again shortly.')

/**
 * Makes the Fault for a read or a check of credentials that cannot be served now: too many are under way, it took too long, or something is still
 * being read. The client may repeat it after `retryAfterSeconds`.
 */
export const tooManyReads = (retryAfterSeconds: number): Fault =>
  new Fault('rate_limited', `Too many reads at once. Try again in ${retryAfterSeconds} seconds.`, undefined, undefined, retryAfterSeconds)

/**
 * Makes the Fault for a request that cannot be served now although the database answers: a service or NATS does not answer, is too busy or is
 * stopping, or other transactions held the rows for too long.
 */
export const queueUnavailable = (): Fault => new Fault('queue_unavailable', 'A part of the service is unavailable. Try again shortly.')
