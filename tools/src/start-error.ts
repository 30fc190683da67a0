/** An error with which `npm start` ends. The message tells the operator what is wrong and what to do, and is shown without a stack. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StartError'
  }
}

/**
 * Gives the sentence for an error that ends the start: the message of a StartError or EmbeddedServerError, and plain words for errors of the machine.
 */
export function explain(error: unknown, dataDir: string): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'StartError' || error.name === 'EmbeddedServerError') return error.message
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC') return `The disk that holds ${dataDir} is full. Make room, or set HERALD_DATA_DIR to a directory on another disk.`
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return `${dataDir} cannot be written (${error.message}). Give this user the right to, or set HERALD_DATA_DIR to another directory.`
  }
  return error.stack ?? error.message
}
