import { databaseUnavailable, Fault, notFound, queueUnavailable } from '@herald/contracts/fault'
import { isDatabaseAway, isDatabaseBusy } from '@herald/service/health'

/** The answers to requests that are so broken that no route can answer them. */
export const protocolFaults = {
  malformed: { status: 400, code: 'malformed_request', message: 'The request is not valid HTTP.' },
  tooSlow: { status: 408, code: 'request_timeout', message: 'The request took too long to arrive.' },
  headersTooLarge: { status: 431, code: 'headers_too_large', message: 'The request line and headers must be at most 16 KiB.' },
  noTunnel: { status: 405, code: 'method_not_allowed', message: 'This method is not allowed here.' },
} as const
export type ProtocolFault = (typeof protocolFaults)[keyof typeof protocolFaults]

/**
 * Makes a Fault of any error. A Fault stays as it is. An unreachable database is `database_unavailable`, a busy one `queue_unavailable`, a path that
 * cannot be decoded `not_found`, and everything else `internal`.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (isUndecodablePath(error)) return notFound()
  if (isDatabaseAway(error)) return databaseUnavailable()
  if (isDatabaseBusy(error)) return Object.assign(queueUnavailable(), { cause: error })
  return new Fault('internal', 'Internal error.', undefined, error)
}

/** Gives the common shape of every error (spec: limits/error-shape). */
export const errorBody = ({ code, message, details }: Pick<Fault, 'message' | 'details'> & { code: string }) => ({
  error: { code, message, ...(details === undefined ? {} : { details }) },
})

/** Express' router marks a malformed %-escape in a parameter of the path with status 400. */
const isUndecodablePath = (error: unknown): boolean => error instanceof URIError && 'status' in error && error.status === 400
