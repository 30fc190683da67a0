/** Thrown when a command lacks an argument or setting, or got a wrong one. The command prints the message and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
