/** An error because an embedded server cannot run here. The message tells the operator what is wrong and, where this is known, what to do. */
export class EmbeddedServerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'EmbeddedServerError'
  }
}

/** Says whether the output of a program reports a full disk. There is no code for it, but Postgres and nats-server use these words. */
export const isDiskFull = (text: string): boolean => /No space left on device|ENOSPC/i.test(text)
