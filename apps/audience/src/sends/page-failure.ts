import { Fault } from '@herald/contracts/fault'
import { failsEverybody } from '@herald/service/health'
import type { FanOutFailure } from '../store/tables.ts'

/** Whether an error only says that the database or another service is away, so that the work itself is not the reason. */
export const isAway = (error: unknown): boolean =>
  Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable') || failsEverybody(error)

/** Gives the code of the error with which a page failed, for the operator who reads the row. Only the code: a message could contain a value. */
export const codeOfFailure = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  return code.slice(0, 64)
}

/** The error code with which Postgres ends a statement at its time limit. */
const tooSlow = '57014'

/** Gives the reason with which a send fails when its page failed on every try, in words that an operator can act on. */
export const failureOf = (code: string): FanOutFailure =>
  code === tooSlow
    ? { code: 'invalid_segment', message: 'Finding the devices of this send took too long on every try. Ask for less in its segment.' }
    : { code: 'internal', message: 'The devices of this send could not be queued on any of five tries. The log of audience says why.' }
