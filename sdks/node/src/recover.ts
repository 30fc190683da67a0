import type { HeraldError } from './errors.ts'

/** A deletion that was tried before and is now answered 404 has happened: the first answer was lost. */
export const gone = (error: HeraldError): Promise<{ answer: undefined } | undefined> =>
  Promise.resolve(error.is('not_found') ? { answer: undefined } : undefined)
