/** An embedded server cannot run here. The message says what is wrong and what to do about it, and is meant for the person who started it. */
export class EmbeddedServerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'EmbeddedServerError'
  }
}

/** A full disk shows in the words of the tools we start, not in a code: the same sentence for all of them. */
export const isDiskFull = (text: string): boolean => /No space left on device|ENOSPC/i.test(text)
