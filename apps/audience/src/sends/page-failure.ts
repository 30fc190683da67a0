import { Fault } from '@herald/contracts/fault'
import { failsEverybody } from '@herald/service/health'
import type { FanOutFailure } from '../store/tables.ts'

/** Whether something failed because the database or another app is away: then nothing is wrong with what was tried. */
export const isAway = (error: unknown): boolean =>
  Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable') || failsEverybody(error)

/** What a page failed of, for who looks into the row: a code, never a value. */
export const codeOfFailure = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  return code.slice(0, 64)
}

/** Postgres ended a statement at its time limit. */
const tooSlow = '57014'

/** Why a send ends whose page failed on every try, in words a person can act on. */
export const failureOf = (code: string): FanOutFailure =>
  code === tooSlow
    ? { code: 'invalid_segment', message: 'Finding the devices of this send took too long on every try. Ask for less in its segment.' }
    : { code: 'internal', message: 'The devices of this send could not be queued on any of five tries. The log of audience says why.' }
