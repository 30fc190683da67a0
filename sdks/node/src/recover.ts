import type { HeraldError } from './errors.ts'

/** A deletion that is answered 404 at a later try has happened: the first answer was lost. */
export const gone = (error: HeraldError): Promise<{ answer: undefined } | undefined> =>
  Promise.resolve(error.is('not_found') ? { answer: undefined } : undefined)
