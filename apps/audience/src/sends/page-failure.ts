import { Fault } from '@herald/contracts/fault'
import { failsEverybody } from '@herald/service/health'
import type { FanOutFailure } from '../store/tables.ts'

/** Whether an error only says that the database or another app is away: then nothing is wrong with the work that was tried. */
export const isAway = (error: unknown): boolean =>
  Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable') || failsEverybody(error)

/** The code of the error that a page failed with, for the operator who looks into the row. Never a value. */
export const codeOfFailure = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  return code.slice(0, 64)
}

/** Postgres ended a statement at its time limit. */
const tooSlow = '57014'

/** The reason for which a send ends whose page failed on every try, in words that an operator can act on. */
export const failureOf = (code: string): FanOutFailure =>
  code === tooSlow
    ? { code: 'invalid_segment', message: 'Finding the devices of this send took too long on every try. Ask for less in its segment.' }
    : { code: 'internal', message: 'The devices of this send could not be queued on any of five tries. The log of audience says why.' }
