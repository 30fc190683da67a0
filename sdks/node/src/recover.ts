import type { HeraldError } from './errors.ts'

/** Turns a 404 to a repeated deletion into success: an earlier try, whose answer was lost, has deleted the thing. */
export const gone = (error: HeraldError): Promise<{ answer: undefined } | undefined> =>
  Promise.resolve(error.is('not_found') ? { answer: undefined } : undefined)
